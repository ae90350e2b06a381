package io.github.zklock;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The catalogue of hazards ({@code docs/hazards.md}) and the tests of all modules say the
 * same. Sources are read as text, because no module sees the tests of the others.
 */
class HazardCatalogueTests {

	private static final Path ROOT = Path.of("..");

	private static final Pattern NUMBER = Pattern.compile("\\b(?:H\\d\\d|CURATOR-\\d+)\\b");

	private static final Pattern TEST = Pattern.compile("`(\\w+(?:Tests|IT|Contract))(?:\\.(\\w+))?`");

	private final List<Entry> entries = entries();

	private final Map<String, TestClass> classes = testClasses();

	HazardCatalogueTests() throws IOException {
	}

	@Test
	void everyTestOfTheCatalogueExists() throws IOException {
		assertThat(matches(TEST, catalogue()).filter((named) -> !exists(named.group(1), named.group(2)))
			.map(MatchResult::group)).isEmpty();
	}

	@Test
	void everyHazardNamesATestOrIsSaidToHaveNone() {
		assertThat(this.entries).as("hazards").hasSizeGreaterThan(100);
		assertThat(this.entries).filteredOn((entry) -> entry.tests().isEmpty() == entry.tested())
			.extracting(Entry::title)
			.isEmpty();
	}

	@Test
	void everyTagOfAHazardIsInTheCatalogue() {
		Set<String> tested = new TreeSet<>();
		this.entries.stream().filter(Entry::tested).map(Entry::numbers).forEach(tested::addAll);
		Set<String> tags = new TreeSet<>();
		this.classes.values().forEach((testClass) -> tags.addAll(testClass.allTags()));
		tags.removeIf((tag) -> !NUMBER.matcher(tag).matches());
		assertThat(tags).isEqualTo(tested);
	}

	@Test
	void everyNumberIsThatOfOneHazard() throws IOException {
		List<String> numbers = this.entries.stream().flatMap((entry) -> entry.numbers().stream()).toList();
		assertThat(numbers).doesNotHaveDuplicates();
		assertThat(matches(NUMBER, catalogue()).map(MatchResult::group)).isSubsetOf(numbers);
	}

	@Test
	void everyTestOfAHazardRunsWithItsTags() {
		List<String> missing = new ArrayList<>();
		for (Entry entry : this.entries) {
			Set<String> untested = new TreeSet<>(entry.numbers());
			for (String test : entry.tests()) {
				Set<String> tags = tagsOf(test);
				untested.removeAll(tags);
				if (!entry.numbers().isEmpty() && entry.numbers().stream().noneMatch(tags::contains)) {
					missing.add(test + ": no tag of " + entry.numbers());
				}
			}
			if (entry.tested()) {
				untested.forEach((number) -> missing.add("No test of %s has that tag".formatted(number)));
			}
		}
		assertThat(missing).isEmpty();
	}

	private boolean exists(String name, @Nullable String member) {
		TestClass testClass = this.classes.get(name);
		return testClass != null && (member == null || testClass.tags().containsKey(member));
	}

	private Set<String> tagsOf(String test) {
		String[] parts = test.split("\\.", -1);
		TestClass testClass = this.classes.get(parts[0]);
		if (testClass == null) {
			return Set.of();
		}
		return (parts.length == 1) ? testClass.allTags() : testClass.tags().getOrDefault(parts[1], Set.of());
	}

	private static String catalogue() throws IOException {
		return Files.readString(ROOT.resolve("docs/hazards.md"));
	}

	private static Stream<MatchResult> matches(Pattern pattern, String text) {
		return pattern.matcher(text).results();
	}

	private static List<Entry> entries() throws IOException {
		List<Entry> entries = new ArrayList<>();
		String[] sections = catalogue().split("\n(?=## )", -1);
		for (String section : sections) {
			boolean tested = !section.startsWith("## Not tested");
			String[] parts = section.split("\n### ", -1);
			for (int index = 1; index < parts.length; index++) {
				String title = parts[index].lines().findFirst().orElseThrow();
				entries.add(new Entry(title, tested,
						matches(NUMBER, title).map(MatchResult::group).collect(Collectors.toCollection(TreeSet::new)),
						matches(TEST, parts[index]).map((match) -> match.group().replace("`", "")).toList()));
			}
		}
		return entries;
	}

	private static Map<String, TestClass> testClasses() throws IOException {
		Map<String, TestClass> classes = new TreeMap<>();
		try (Stream<Path> modules = Files.list(ROOT)) {
			for (Path sources : modules.map((module) -> module.resolve("src/test/java")).toList()) {
				if (Files.isDirectory(sources)) {
					try (Stream<Path> files = Files.walk(sources)) {
						for (Path file : files.filter((path) -> path.toString().endsWith(".java")).toList()) {
							String name = file.getFileName().toString().replace(".java", "");
							classes.merge(name, TestClass.read(name, Files.readAllLines(file)), TestClass::and);
						}
					}
				}
			}
		}
		return classes;
	}

	/**
	 * A hazard in the catalogue.
	 *
	 * @param tests classes, or methods and nested classes with the name of their class
	 */
	record Entry(String title, boolean tested, Set<String> numbers, List<String> tests) {
	}

	/**
	 * What the source of a test says.
	 *
	 * @param tags of each test method and nested class, with those of the class itself
	 */
	record TestClass(Map<String, Set<String>> tags) {

		private static final Pattern TAG = Pattern.compile("@Tag\\(\"(.+)\"\\)");

		private static final Pattern TESTING = Pattern.compile("@(?:Test|ParameterizedTest|RepeatedTest|Nested)\\b.*");

		private static final Pattern MEMBER = Pattern
			.compile("(?:public |abstract |final )*(?:void|class) (\\w+)\\b.*");

		static TestClass read(String name, List<String> lines) {
			Map<String, Set<String>> tags = new TreeMap<>();
			Set<String> ofClass = new HashSet<>();
			Set<String> pending = new HashSet<>();
			boolean testing = false;
			for (String line : lines) {
				Matcher tag = TAG.matcher(line.strip());
				Matcher member = MEMBER.matcher(line.strip());
				if (tag.matches()) {
					pending.add(tag.group(1));
				}
				else if (TESTING.matcher(line.strip()).matches()) {
					testing = true;
				}
				else if (member.matches()) {
					if (member.group(1).equals(name)) {
						ofClass.addAll(pending);
					}
					else if (testing) {
						pending.addAll(ofClass);
						tags.put(member.group(1), Set.copyOf(pending));
					}
					pending.clear();
					testing = false;
				}
			}
			return new TestClass(tags);
		}

		/**
		 * Two modules may have tests of one name.
		 */
		TestClass and(TestClass other) {
			Map<String, Set<String>> both = new TreeMap<>(other.tags);
			both.putAll(this.tags);
			return new TestClass(both);
		}

		Set<String> allTags() {
			return this.tags.values().stream().flatMap(Set::stream).collect(Collectors.toSet());
		}

	}

}
