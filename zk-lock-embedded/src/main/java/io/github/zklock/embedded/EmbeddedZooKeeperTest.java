package io.github.zklock.embedded;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Gives a JUnit test class a real ZooKeeper server, which all tests of the class and its
 * nested classes share, and each test a root of its own in it. Needs JUnit 5.13 or newer.
 *
 * <p>
 * Constructors, lifecycle methods and test methods may have parameters of type
 * {@link EmbeddedZooKeeper} for the server and {@link ConnectString @ConnectString}
 * {@code String} for a connect string whose chroot is new and empty for each test. Before
 * all tests, it is a chroot of the class.
 *
 * <pre class="code">
 * &#64;EmbeddedZooKeeperTest
 * class OrderServiceTests {
 *
 * 	&#64;Test
 * 	void locks(&#64;ConnectString String connectString) {
 * 		...
 * 	}
 *
 * }
 * </pre>
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@ExtendWith(EmbeddedZooKeeperExtension.class)
public @interface EmbeddedZooKeeperTest {

	/**
	 * The server's tick. The shortest session timeout is two ticks.
	 * @return the tick in milliseconds
	 */
	int tickTimeMillis() default 500;

}
