import { DAY, HOUR, MINUTE, SECOND } from './time.ts';

// The numbers of events, webhooks and mails. They are imported from limits.ts, like all numbers of the contract.

export const EVENTS = {
  kept: 30 * DAY, // ours: how far back the feed of events goes
  stored: 30 * DAY + HOUR, // ours: longer than `kept`, so that no valid cursor misses an event that was removed
  longestWrite: HOUR, // ours: no event is written for longer before its commit
  receivedEarlier: 10 * MINUTE, // ours: a decision is received less before its transaction writes; and a clock set back
  digested: 10_000, // ours: of an owner's newest events, those that a digest looks at
  signIns: 200, // ours: of an owner's newest security events, those that a digest looks at
  keysAtOnce: 500, // ours: keys of one transaction that notes their expiry
} as const;

/** A request that delivers a webhook. */
export const WEBHOOK_REQUEST = {
  urlLength: 2_048, // ours, as CIRCUIT.evidenceUrlLength
  lowestPort: 1_024, // ours: except the scheme's own
  deadline: 10 * SECOND, // ours: for the name, the connection and the status
  replyBytes: 4 * 1024, // ours: of a reply's body, read and thrown away; then the connection is cut
  addresses: 4, // ours: of a name that are tried
} as const;

/** The key of a webhook's secret, in bytes. */
export const WEBHOOK_SECRET = {
  leastBytes: 24, // Standard Webhooks 1.0
  mostBytes: 64, // Standard Webhooks 1.0
} as const;

/** Streams of events, each with a connection of its own. */
export const EVENT_STREAMS = {
  most: 10_000, // ours: open in one process
  tick: SECOND, // ours: how often a process reads new events for all its streams
  heartbeat: 4 * SECOND, // ours: how often a stream shows that it lives; the default agent of Node waits 5 s for data
  judge: 15 * SECOND, // ours: how often its credential is judged again
  slow: 15 * SECOND, // ours: a client that takes nothing for longer is disconnected
  longest: HOUR, // ours: then the stream ends, and its client connects again
  page: 100, // ours: events that are read at once for a stream that is behind the others
  news: 1_000, // ours: events that are read at once for all streams
  retry: 2 * SECOND, // ours: the least time after which a client connects again
  retrySpread: 8 * SECOND, // ours: added at random, so that the clients of a node do not connect again all at once
  retryReplaced: MINUTE, // ours: after a newer stream of the credential, so that two clients do not end each other often
} as const;

/** Webhooks of owners, and when their deliveries are sent again. Each request is bounded by WEBHOOK_REQUEST. */
export const WEBHOOK = {
  perOwner: 10, // ours
  descriptionLength: 200, // ours
  // Standard Webhooks 1.0, the waits between the attempts: 10 attempts within 75 hours and 36 minutes
  retries: [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR],
  jitter: 0.1, // ours: the part of a wait that is added to it at most
  firstPause: SECOND, // ours: of a webhook whose last attempt failed, before its next one; doubled each time
  longestPause: MINUTE, // ours
  longestRetryAfter: HOUR, // ours: a longer Retry-After counts as this
  pauseAfter: 5 * DAY, // ours: of failures alone
  atOnce: 2, // ours: requests to one webhook
  ofProcess: 50, // ours: requests that one process sends at a time
  lease: 30 * SECOND, // ours: longer than one request can take
  sweep: 2 * MINUTE, // ours: after that a sweep claims no more, and another one follows
  fanOut: 100, // ours: events that become deliveries in one transaction
  fanOuts: 20, // ours: such transactions after which deliveries that are due have their turn
  lookAgain: 2 * SECOND, // ours: when a transaction hid the next events, and while requests are under way
  attemptsShown: 10, // ours: of a delivery
  kept: 30 * DAY, // ours: deliveries
  secretOverlap: DAY, // ours: how long a secret signs after it was replaced
  testsPerHour: 60, // ours: of an owner
} as const;

/** Mails to owners. */
export const MAIL = {
  onRequestPerHour: 5, // ours: mails with a link to an address, in any hour
  noticesPerHour: 20, // ours: notices to an address, in any hour
  noticesOfKindPerHour: 2, // ours: of those, of one kind; so that a flood of one kind hides no other
  unconfirmedPerDay: 5, // ours: notices to an address that nobody has confirmed, in any 24 hours
  resetLife: HOUR, // ours: of a link that resets a password, and of its mail
  confirmLife: DAY, // ours: of a link that confirms an address
  giveUpAfter: DAY, // ours: of other mails that the server does not accept
  firstPause: 30 * SECOND, // ours: after an attempt that failed; doubled each time
  longestPause: 15 * MINUTE, // ours
  jitter: 0.1, // ours: the part of a pause that is added to it at most
  atOnce: 5, // ours: mails that one process sends at a time
  deadline: 30 * SECOND, // ours: of one mail, from the connection to the reply
  lease: 2 * MINUTE, // ours: longer than one mail can take
  sweep: 2 * MINUTE, // ours: after that a sweep claims no more, and another one follows
  lookAgain: 2 * SECOND, // ours: when something is due that another process may have
  heldBack: MINUTE, // ours: how long a mail waits that the limit of its address holds back
  kept: 7 * DAY, // ours: rows of mails, without content once they have ended
} as const;
