package io.github.zklock.autoconfigure;

import java.util.concurrent.Executor;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.util.function.SingletonSupplier;

/**
 * Runs tasks on the application's executor, which is looked up when the first task comes.
 * Where there is none, each task has a thread of its own.
 */
final class LazyTaskExecutor implements Executor {

	private final SingletonSupplier<Executor> delegate;

	LazyTaskExecutor(BeanFactory beanFactory) {
		this.delegate = SingletonSupplier.of(() -> find(beanFactory));
	}

	private static Executor find(BeanFactory beanFactory) {
		String name = TaskExecutionAutoConfiguration.APPLICATION_TASK_EXECUTOR_BEAN_NAME;
		return beanFactory.containsBean(name) ? beanFactory.getBean(name, Executor.class)
				: new SimpleAsyncTaskExecutor("zk-lock-task-");
	}

	@Override
	public void execute(Runnable task) {
		this.delegate.obtain().execute(task);
	}

}
