import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;

import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/**
 * Prints why a build has failed, from the reports of its tests: each test with its message, which names the seed if it has
 * one, its own stack frames, the end of the logs of its servers, and the end of what it has printed.
 */
public class FailedTests {

	private static final List<String> REPORTS = List.of("surefire-reports", "failsafe-reports");

	private static final int MAX_TRACE_LINES = 200;

	private static final int MAX_OUTPUT_LINES = 60;

	public static void main(String[] args) throws IOException {
		int failed = 0;
		for (Path report : reports(Path.of(args[0]))) {
			failed += print(report);
		}
		System.out.printf("%n%s%n", (failed > 0) ? failed + " failed, each with its reason above"
				: "No report tells of a failed test: Maven's own messages further above say what went wrong");
	}

	private static List<Path> reports(Path root) throws IOException {
		try (Stream<Path> files = Files.walk(root)) {
			return files.filter((file) -> file.toString().matches(".*TEST-.*\\.xml"))
				.filter((file) -> REPORTS.contains(file.getParent().getFileName().toString()))
				.sorted()
				.toList();
		}
	}

	private static int print(Path report) {
		int failed = 0;
		Document document;
		try {
			document = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(report.toFile());
		}
		catch (IOException | SAXException | ParserConfigurationException ex) {
			System.out.printf("%n=== %s cannot be read: %s%n", report, ex);
			return 1;
		}
		for (Element test : elements(document.getDocumentElement(), "testcase")) {
			for (String kind : List.of("failure", "error")) {
				for (Element problem : elements(test, kind)) {
					failed++;
					System.out.printf("%n=== %s.%s%n", test.getAttribute("classname"), test.getAttribute("name"));
					printLines(problem.getTextContent().lines().filter(FailedTests::isTelling).limit(MAX_TRACE_LINES).toList());
					printOutput(test);
				}
			}
		}
		return failed;
	}

	private static boolean isTelling(String line) {
		return !line.strip().startsWith("at ") || line.contains("io.github.zklock");
	}

	private static void printOutput(Element test) {
		List<String> lines = new ArrayList<>();
		for (String stream : List.of("system-out", "system-err")) {
			elements(test, stream).forEach((output) -> lines.addAll(output.getTextContent().lines().toList()));
		}
		if (!lines.isEmpty()) {
			System.out.println("--- The end of what it has printed:");
			printLines(lines.subList(Math.max(0, lines.size() - MAX_OUTPUT_LINES), lines.size()));
		}
	}

	private static void printLines(List<String> lines) {
		lines.forEach((line) -> System.out.println("    " + line));
	}

	private static List<Element> elements(Element parent, String name) {
		NodeList found = parent.getElementsByTagName(name);
		List<Element> elements = new ArrayList<>();
		for (int index = 0; index < found.getLength(); index++) {
			elements.add((Element) found.item(index));
		}
		return elements;
	}

}
