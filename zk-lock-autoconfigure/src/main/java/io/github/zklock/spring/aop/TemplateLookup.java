package io.github.zklock.spring.aop;

import java.util.List;
import java.util.function.Supplier;

import io.github.zklock.LockRegistry;
import io.github.zklock.spring.LockConfigurationException;
import io.github.zklock.spring.LockTemplate;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;

/**
 * Finds the template that annotated methods use, or says why there is none.
 */
final class TemplateLookup implements Supplier<LockTemplate> {

	private final ListableBeanFactory beanFactory;

	private volatile @Nullable LockTemplate template;

	TemplateLookup(ListableBeanFactory beanFactory) {
		this.beanFactory = beanFactory;
	}

	@Override
	public LockTemplate get() {
		LockTemplate known = this.template;
		if (known == null) {
			known = lookUp();
			this.template = known;
		}
		return known;
	}

	/**
	 * Look for the template now.
	 * @throws LockConfigurationException if there is none, or more than one
	 */
	void require() {
		if (this.template == null) {
			this.template = lookUp();
		}
	}

	private LockTemplate lookUp() {
		try {
			return this.beanFactory.getBean(LockTemplate.class);
		}
		catch (NoUniqueBeanDefinitionException ex) {
			throw LockConfigurationException.severalBeans(LockTemplate.class, ex.getBeanNamesFound(), ex);
		}
		catch (NoSuchBeanDefinitionException ex) {
			List<String> registries = List.of(this.beanFactory.getBeanNamesForType(LockRegistry.class, true, false));
			if (registries.size() > 1) {
				throw LockConfigurationException.severalBeans(LockRegistry.class, registries, ex);
			}
			throw new LockConfigurationException("@DistributedLock is used, but there is no LockTemplate bean.",
					"Let ZkLockAutoConfiguration define it, or define one.", ex);
		}
	}

}
