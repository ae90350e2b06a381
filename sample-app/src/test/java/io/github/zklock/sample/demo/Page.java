package io.github.zklock.sample.demo;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Collectors;

import io.github.zklock.sample.demo.ShopCluster.Shop;
import org.openqa.selenium.By;
import org.openqa.selenium.JavascriptExecutor;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/**
 * The shop's page in a browser.
 */
final class Page implements AutoCloseable {

	// Selenium warns of browsers that it does not know all protocols of
	private static final Logger selenium = Logger.getLogger("org.openqa.selenium");

	private final ChromeDriver browser;

	Page() {
		selenium.setLevel(Level.SEVERE);
		// Both are named, or Selenium would look for them in the network
		ChromeDriverService service = new ChromeDriverService.Builder()
			.usingDriverExecutable(new File(requiredProperty("chromedriver")))
			.usingAnyFreePort()
			.withTimeout(Duration.ofMinutes(2))
			.build();
		ChromeOptions options = new ChromeOptions();
		options.setBinary(requiredProperty("chromium"));
		options.addArguments("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage");
		LoggingPreferences logging = new LoggingPreferences();
		logging.enable(LogType.BROWSER, Level.ALL);
		options.setCapability(ChromeOptions.LOGGING_PREFS, logging);
		this.browser = new ChromeDriver(service, options);
	}

	private static String requiredProperty(String name) {
		String value = System.getProperty(name);
		if (value == null) {
			throw new IllegalStateException(
					"Set the system property '%s', as the profile 'browser' of the build does".formatted(name));
		}
		return value;
	}

	/**
	 * Look at it on a screen of this size.
	 */
	void resize(int width, int height, boolean dark) {
		this.browser.executeCdpCommand("Emulation.setDeviceMetricsOverride",
				Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", width < 600));
		this.browser.executeCdpCommand("Emulation.setScrollbarsHidden", Map.of("hidden", true));
		this.browser.executeCdpCommand("Emulation.setEmulatedMedia",
				Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", dark ? "dark" : "light"))));
	}

	void open(Shop shop) {
		this.browser.get(shop.uri("/").toString());
	}

	WebElement find(String testId) {
		return this.browser.findElement(byTestId(testId));
	}

	WebElement instance(String id) {
		return this.browser.findElement(By.cssSelector("[data-testid='instance'][data-id='%s']".formatted(id)));
	}

	WebElement lock(String name) {
		return this.browser.findElement(By.cssSelector("[data-testid='lock'][data-name='%s']".formatted(name)));
	}

	int count(WebElement parent, String testId) {
		return parent.findElements(byTestId(testId)).size();
	}

	void click(String testId) {
		find(testId).click();
	}

	void clickIn(WebElement parent, String testId) {
		parent.findElement(byTestId(testId)).click();
	}

	/**
	 * Return how often the log says something.
	 */
	long logged(String text) {
		return text("log").lines().filter((line) -> line.contains(text)).count();
	}

	String text(String testId) {
		return find(testId).getText();
	}

	boolean isShown(String testId) {
		return this.browser.findElements(byTestId(testId)).stream().anyMatch(WebElement::isDisplayed);
	}

	private static By byTestId(String testId) {
		return By.cssSelector("[data-testid='%s']".formatted(testId));
	}

	long evaluateNumber(String script) {
		Object result = ((JavascriptExecutor) this.browser).executeScript("return " + script);
		return (result instanceof Number number) ? number.longValue() : -1;
	}

	/**
	 * Return what the browser has complained about since it was last asked.
	 */
	String complaints() {
		return this.browser.manage()
			.logs()
			.get(LogType.BROWSER)
			.getAll()
			.stream()
			.filter((entry) -> entry.getLevel().intValue() >= Level.WARNING.intValue())
			.map(Object::toString)
			.collect(Collectors.joining("\n"));
	}

	/**
	 * Write a picture of the whole page.
	 * @param file the file, whose directory is made if it is not there
	 */
	void photograph(Path file) throws IOException {
		Map<String, Object> picture = this.browser.executeCdpCommand("Page.captureScreenshot",
				Map.of("format", "png", "captureBeyondViewport", true));
		Files.createDirectories(file.toAbsolutePath().getParent());
		Files.write(file, Base64.getDecoder().decode(String.valueOf(picture.get("data"))));
	}

	@Override
	public void close() {
		this.browser.quit();
	}

}
