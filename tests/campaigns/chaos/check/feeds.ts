import { createHmac } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { breach, type Feed, type Journal, type ReadEvent } from '../journal.ts';
import type { ChaosDatabase } from '../stage/database.ts';
import type { Arrival } from '../stage/receiver.ts';
import type { Stage } from '../stage/stage.ts';

/** Compares the feeds that were read with the changes in the database, and what arrived at webhooks with the feeds. */
export async function checkFeeds({ database, receiver }: Stage, journal: Journal): Promise<void> {
  for (const feed of journal.feeds) {
    await checkFeed(database, journal, feed);
    checkArrivals(
      journal,
      feed,
      receiver.arrivals.filter(({ path }) => path === feed.path),
    );
  }
}

/** An event that a change must have. */
interface Expected {
  readonly type: string;
  readonly record_id: string;
  /** What else `data` shows, as text. */
  readonly detail: string | null;
}

async function checkFeed(database: ChaosDatabase, journal: Journal, { owner, events }: Feed): Promise<void> {
  const expected = await database.rows<Expected>(EXPECTED, [owner.owner_id]);
  const optional = new Set((await database.rows<Expected>(OPTIONAL, [owner.owner_id])).map(nameOf));
  const ids = new Set(events.map(({ id }) => id));
  if (ids.size < events.length) breach(journal, 'events', `${events.length} events were read, with ${ids.size} ids`);
  if (events.length === 0) breach(journal, 'events', `${owner.owner_id} has no events`);
  const missing = counted(expected.map(nameOf));
  for (const name of events.map(nameOfRead)) missing.set(name, (missing.get(name) ?? 0) - 1);
  for (const [name, n] of missing) {
    if (n > 0) breach(journal, 'events', `${name} happened and ${n} times is not in the feed`);
    if (n < 0 && !(n === -1 && optional.has(name)))
      breach(journal, 'events', `${name} is ${-n} times too often in the feed`);
  }
  for (const [record_id, own] of Map.groupBy(events, ({ data }) => data.record_id)) {
    const places = own.map(({ type }) => ORDER.indexOf(type));
    if (places.some((place, n) => place < (places[n - 1] ?? 0)))
      breach(journal, 'events', `${record_id} has events in the order ${own.map(({ type }) => type).join(', ')}`);
  }
}

/** No webhook is sent it. */
const SUBMITTED = 'decision.submitted';

/** No decision of the campaign is released. */
const ORDER = [
  SUBMITTED,
  'decision.verified',
  'decision.deferred',
  'decision.evaluated',
  'quota.credited',
  'decision.quarantined',
];

function nameOf({ type, record_id, detail }: Expected): string {
  return [type, record_id, detail].join(' ');
}

function nameOfRead({ type, data: { record_id, result_bucket, amount, day } }: ReadEvent): string {
  return nameOf({ type, record_id, detail: type === 'quota.credited' ? `${amount} ${day}` : (result_bucket ?? null) });
}

function counted(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

const EXPECTED = `
  select 'decision.submitted' as type, record_id, null as detail from app.decisions where owner_id = $1
  union all
  select 'decision.evaluated' as type, record_id, o.result_bucket as detail
  from app.decisions join app.decision_outcomes o using (record_id) where owner_id = $1
  union all
  select 'quota.credited', record_id, amount || ' ' || day from app.credit_ledger where owner_id = $1
  union all
  select 'decision.quarantined', record_id, null from app.decisions where owner_id = $1 and lifecycle_state = 'quarantined'
  union all
  select 'decision.deferred', record_id, null from app.decisions, generate_series(1, attempts) where owner_id = $1
  union all
  select 'decision.verified', record_id, null from app.decisions join app.decision_documents using (record_id)
  where owner_id = $1 and receipt ->> 'lifecycle_state' = 'pending_verify' and evaluated_at is not null`;

/** One that was quarantined before its grade may have been verified before, or not. */
const OPTIONAL = `
  select 'decision.verified' as type, record_id, null as detail from app.decisions join app.decision_documents using (record_id)
  where owner_id = $1 and receipt ->> 'lifecycle_state' = 'pending_verify' and evaluated_at is null`;

/** Each event at least once, as it is in the feed, and none before an earlier one of its decision was accepted. */
function checkArrivals(journal: Journal, feed: Feed, arrivals: readonly Arrival[]): void {
  const byId = Map.groupBy(arrivals, ({ id }) => id);
  const known = new Map(feed.events.map((event) => [event.id, event]));
  for (const arrival of arrivals) {
    const event = known.get(arrival.id);
    if (!event || !isDeepStrictEqual(JSON.parse(arrival.body), event))
      breach(
        journal,
        'webhooks',
        `${arrival.id} arrived as ${arrival.body}, in the feed it is ${JSON.stringify(event)}`,
      );
    if (!isSigned(feed.secret, arrival)) breach(journal, 'webhooks', `${arrival.id} has a wrong signature`);
  }
  const sent = feed.events.filter(({ type }) => type !== SUBMITTED);
  for (const { id, type, data } of sent) {
    if (!byId.get(id)?.some(({ isAccepted }) => isAccepted))
      breach(journal, 'webhooks', `${type} of ${data.record_id} (${id}) never arrived`);
  }
  const turns = new Map(arrivals.map((arrival, n) => [arrival, n]));
  const turnOf = (arrival: Arrival | undefined) => (arrival ? (turns.get(arrival) ?? 0) : Number.POSITIVE_INFINITY);
  for (const own of Map.groupBy(sent, ({ data }) => data.record_id).values()) {
    for (const [n, { id }] of own.entries()) {
      const before = n === 0 ? undefined : own[n - 1];
      if (!before) continue;
      const accepted = turnOf(byId.get(before.id)?.find(({ isAccepted }) => isAccepted));
      if (accepted > turnOf(byId.get(id)?.[0]))
        breach(journal, 'webhooks', `${id} arrived before ${before.id} of the same decision was accepted`);
    }
  }
}

function isSigned(secret: string, { id, timestamp, body, signature }: Arrival): boolean {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  return signature === `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
}
