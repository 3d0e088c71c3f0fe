/** Messages of the service's log that the checks of processes read. */
export const LOG_MESSAGES = {
  death: 'An API process died; another one replaces it',
  failedStart: 'The service could not start',
  failedRequest: 'A request failed',
} as const;
