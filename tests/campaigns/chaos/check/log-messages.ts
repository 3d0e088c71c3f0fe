/** Messages of the service's log that the checks of processes read. */
export const LOG_MESSAGES = {
  death: 'An API process died; another one replaces it',
  failedStart: 'The service could not start',
  failedRequest: 'A request failed',
  unsignedLog: 'The evidence log is not signed; the next run tries again',
} as const;

/** The beginnings of the sentences by which a start without a database ends (infrastructure/database/connect-database.ts). */
export const NO_DATABASE = ['No PostgreSQL accepts connections at ', 'The server at '] as const;

/** Whether a line of the output is the reason why a process ended at its start. */
export function saysFailedStart(line: string): boolean {
  return line.includes(LOG_MESSAGES.failedStart) || NO_DATABASE.some((beginning) => line.startsWith(beginning));
}
