package io.github.zklock.zookeeper;

import io.github.zklock.engine.ReturnCode;
import io.github.zklock.engine.ReturnCode.Meaning;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What is in numbers and codes of ZooKeeper.
 */
class ReturnCodesTests {

	@Test
	@Tag("H09")
	void counterIsReadFromTheParentUpToItsEnd() {
		Stat stat = new Stat();
		stat.setNumChildren(3);
		stat.setCversion(2 * 10 - 3);
		assertThat(ZooKeeperSession.counter(stat)).isEqualTo(10);
		stat.setNumChildren(0);
		stat.setCversion((int) (2L * Integer.MAX_VALUE));
		assertThat(ZooKeeperSession.counter(stat)).isEqualTo(Integer.MAX_VALUE);
	}

	@ParameterizedTest
	@Tag("H66")
	@EnumSource(Code.class)
	void everyCodeHasItsPlace(Code code) {
		ReturnCode known = ReturnCodes.of(code.intValue());
		assertThat(known.meaning() == Meaning.OK).isEqualTo(code == Code.OK);
		assertThat(known.exception().apply("/path")).isInstanceOfSatisfying(KeeperException.class,
				(exception) -> assertThat(exception.getPath()).isEqualTo("/path"));
	}

	@Test
	@Tag("H66")
	void unknownCodeIsNeitherDoneNorNotDone() {
		assertThat(ReturnCodes.of(-9999).meaning()).isEqualTo(Meaning.UNKNOWN);
		assertThat(ReturnCodes.of(Code.SYSTEMERROR.intValue()).meaning()).isEqualTo(Meaning.UNKNOWN);
		assertThat(ReturnCodes.of(Code.SESSIONMOVED.intValue()).meaning()).isEqualTo(Meaning.UNKNOWN);
		assertThat(ReturnCodes.of(Code.CONNECTIONLOSS.intValue()).meaning()).isEqualTo(Meaning.DISCONNECTED);
	}

}
