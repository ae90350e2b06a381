package io.github.zklock.sample;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties {@code sample.*}.
 *
 * @param instance What this instance is called, by default localhost and its port.
 * @param url Where browsers and the other instances find this one, by default on
 * localhost.
 * @param seats How many seats the house has.
 * @param thinkingTime How long a sale takes between reading which seat is free and
 * selling it.
 * @param reportTime How long a report takes.
 * @param importTime How long an import takes.
 * @param slowJobTime How long the slow job takes.
 */
@ConfigurationProperties("sample")
public record SampleProperties(@Nullable String instance, @Nullable String url, @DefaultValue("100") int seats,
		@DefaultValue("20ms") Duration thinkingTime, @DefaultValue("2s") Duration reportTime,
		@DefaultValue("2s") Duration importTime, @DefaultValue("20s") Duration slowJobTime) {

}
