package io.github.zklock.sample.web;

import java.util.concurrent.CompletionException;

import io.github.zklock.LockException;
import io.github.zklock.LockLostException;
import io.github.zklock.LockTimeoutException;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.sample.shop.SoldOutException;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.transaction.TransactionException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.servlet.mvc.method.annotation.ResponseEntityExceptionHandler;

/**
 * Answers failures with problem details. Others hold the lock: a conflict, to be tried
 * again soon. Nobody can be asked for it: the service is unavailable. The two are never
 * confused.
 */
@RestControllerAdvice
class Problems extends ResponseEntityExceptionHandler {

	private static final String RETRY_AFTER_SECONDS = "1";

	@ExceptionHandler
	ResponseEntity<ProblemDetail> contended(LockTimeoutException ex) {
		return locked(HttpStatus.CONFLICT, "Locked by others", ex);
	}

	@ExceptionHandler
	ResponseEntity<ProblemDetail> unavailable(LockUnavailableException ex) {
		return locked(HttpStatus.SERVICE_UNAVAILABLE, "ZooKeeper cannot be asked", ex);
	}

	@ExceptionHandler
	ResponseEntity<ProblemDetail> lost(LockLostException ex) {
		return locked(HttpStatus.SERVICE_UNAVAILABLE, "Lock lost", ex);
	}

	private static ResponseEntity<ProblemDetail> locked(HttpStatus status, String title, LockException ex) {
		ProblemDetail problem = problem(status, title, ex);
		problem.setProperty("lock", ex.name());
		return ResponseEntity.status(status).header(HttpHeaders.RETRY_AFTER, RETRY_AFTER_SECONDS).body(problem);
	}

	@ExceptionHandler
	ProblemDetail soldOut(SoldOutException ex) {
		return problem(HttpStatus.CONFLICT, "Sold out", ex);
	}

	@ExceptionHandler
	ProblemDetail notLeading(NotLeadingException ex) {
		return problem(HttpStatus.CONFLICT, "Not the leader", ex);
	}

	@ExceptionHandler
	ProblemDetail notHeld(NotHeldException ex) {
		return problem(HttpStatus.NOT_FOUND, "Held by nobody", ex);
	}

	@ExceptionHandler
	ProblemDetail badInput(BadInputException ex) {
		return problem(HttpStatus.BAD_REQUEST, "Bad input", ex);
	}

	@ExceptionHandler({ DataAccessException.class, TransactionException.class, IllegalStateException.class,
			CompletionException.class })
	ProblemDetail failed(RuntimeException ex) {
		this.logger.error("A request has failed", ex);
		return problem(HttpStatus.INTERNAL_SERVER_ERROR, "Failed", ex);
	}

	private static ProblemDetail problem(HttpStatus status, String title, Exception ex) {
		@Nullable String detail = ex.getMessage();
		ProblemDetail problem = ProblemDetail.forStatusAndDetail(status, detail);
		problem.setTitle(title);
		return problem;
	}

}
