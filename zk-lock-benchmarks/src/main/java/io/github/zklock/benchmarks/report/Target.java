package io.github.zklock.benchmarks.report;

import java.util.Locale;

/**
 * A number to reach.
 *
 * @param what what was measured
 * @param limit the number to reach
 * @param atLeast whether more is better
 * @param measured the number that was reached
 * @param remark what else to know
 */
public record Target(String what, double limit, boolean atLeast, double measured, String remark) {

	/**
	 * Return whether it is reached.
	 * @return whether it is reached
	 */
	public boolean isMet() {
		return this.atLeast ? this.measured >= this.limit : this.measured <= this.limit;
	}

	String goal() {
		return (this.atLeast ? ">= " : "<= ") + Numbers.format(this.limit);
	}

	String verdict() {
		if (isMet()) {
			return "met";
		}
		double off = Math.abs(this.measured - this.limit);
		return (this.limit == 0) ? "missed by " + Numbers.format(off)
				: String.format(Locale.ROOT, "missed by %.0f %%", 100 * off / this.limit);
	}

}
