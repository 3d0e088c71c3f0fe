import { diskFull } from '../../../../domain/disk-space.ts';
import { Problem } from '../../../../domain/problem.ts';

/**
 * The refusal that a caller gets for an error. Errors of the database are distinguished by their SQLSTATE; an unknown
 * error is INTERNAL_ERROR. The original error is never shown; the caller of this function logs it.
 */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const code = codeOf(error);
  if (code === DISK_FULL) return diskFull();
  if (/^22/.test(code)) return new Problem('VALIDATION_ERROR', 'A value cannot be stored as it was sent.');
  if (
    // 0A000: a server that was taken over from has no unlogged tables until it writes again. 55000: its clock was set back to
    // before the agent was made (functions/decision-guards.sql).
    /^(0A000|25006|25P03|40001|40P01|55000|55P03|57014)$/.test(code) ||
    /^(08|53|57P)/.test(code) ||
    UNREACHABLE.has(code) ||
    noClient(error)
  ) {
    return new Problem('SERVICE_UNAVAILABLE', 'A part of the service cannot be reached at the moment.');
  }
  const status = statusOf(error);
  if (status !== undefined && status >= 400 && status < 500) {
    return new Problem('VALIDATION_ERROR', 'The path is not valid percent-encoded UTF-8.');
  }
  return new Problem('INTERNAL_ERROR', 'Something went wrong on our side.');
}

/** Whether an operator must see the error: true unless it is a refusal of ours. */
export function isFault(error: unknown): boolean {
  return !(error instanceof Problem) || error.category === 'internal';
}

/** The SQLSTATE of a write for which the database's disk has no room. */
const DISK_FULL = '53100';

const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ETIMEDOUT',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

/** TypeORM wraps the driver's error, and an AggregateError holds one for each address that was tried. */
function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  if ('code' in error && typeof error.code === 'string') return error.code;
  if ('driverError' in error) return codeOf(error.driverError);
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return '';
}

/** pg and pg-pool give these errors a message and no code. */
function noClient(error: unknown): boolean {
  return (
    error instanceof Error &&
    /^(timeout exceeded when trying to connect|Connection terminated|Client has encountered a connection error|Query read timeout)/i.test(
      error.message,
    )
  );
}

/** Express marks its own refusals, such as broken percent-encoding in a path, with a status. */
function statusOf(error: unknown): number | undefined {
  return error instanceof URIError && 'status' in error && typeof error.status === 'number' ? error.status : undefined;
}
