import { createHmac } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { openJournal, type Promised, type ReadEvent } from '../journal.ts';
import type { Arrival } from '../stage/receiver.ts';
import type { Stage } from '../stage/stage.ts';
import { checkFeeds } from './feeds.ts';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const record_id = 'dec_20260302_00000001';
const EVENTS: readonly ReadEvent[] = [
  { id: 'none', type: 'decision.submitted', data: { record_id } },
  { id: 'one', type: 'decision.evaluated', data: { record_id, result_bucket: 'strong_correct' } },
  { id: 'two', type: 'quota.credited', data: { record_id, amount: 10, day: '2026-03-02' } },
];
const EXPECTED = [
  { type: 'decision.submitted', record_id, detail: null },
  { type: 'decision.evaluated', record_id, detail: 'strong_correct' },
  { type: 'quota.credited', record_id, detail: '10 2026-03-02' },
];

function arrivalOf(event: ReadEvent, isAccepted = true, secret = SECRET): Arrival {
  const [timestamp, body] = ['1769783403', JSON.stringify(event)];
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const mac = createHmac('sha256', key).update(`${event.id}.${timestamp}.${body}`).digest('base64');
  return { path: '/owner', id: event.id, timestamp, signature: `v1,${mac}`, body, isAccepted };
}

/** The promises that the check finds broken. */
async function brokenBy(events: readonly ReadEvent[], arrivals: readonly Arrival[]): Promise<readonly Promised[]> {
  const journal = openJournal();
  const owner = { owner_id: 'owner', session: '', agent_id: '', key: '', key_prefix: '' };
  journal.feeds.push({ owner, path: '/owner', secret: SECRET, events: [...events], cursor: null, cuts: 0 });
  const rows = async (sql: string) => (sql.includes('evaluated_at is null') ? [] : EXPECTED);
  await checkFeeds({ database: { rows }, receiver: { arrivals } } as unknown as Stage, journal);
  return [...journal.broken.keys()];
}

const [submitted, first, second] = EVENTS as readonly [ReadEvent, ReadEvent, ReadEvent];
const arrived = [arrivalOf(first), arrivalOf(second)];

test('what is whole breaks no promise, also with attempts that failed or were repeated', async () => {
  expect(await brokenBy(EVENTS, arrived)).toEqual([]);
  const attempts = [arrivalOf(first, false), arrivalOf(first), arrivalOf(second), arrivalOf(first)];
  expect(await brokenBy(EVENTS, attempts)).toEqual([]);
});

test.each<[string, readonly ReadEvent[]]>([
  ['an event that was not read', [submitted, first]],
  ['a submission that was not read', [first, second]],
  ['one that was read twice', [submitted, first, first, second]],
  ['one that nothing explains', [...EVENTS, { ...first, id: 'three', type: 'decision.quarantined' }]],
  ['one with other data', [submitted, { ...first, data: { record_id, result_bucket: 'weak_correct' } }, second]],
  ['events in another order', [submitted, second, first]],
  ['a submission after its grade', [first, submitted, second]],
])('the check of feeds finds %s', async (_, events) => {
  expect(await brokenBy(events, arrived)).toContain('events');
});

test.each<[string, readonly Arrival[]]>([
  ['an event that never arrived', [arrivalOf(first)]],
  ['one that was never accepted', [arrivalOf(first), arrivalOf(second, false)]],
  ['one with another id', [...arrived, arrivalOf({ ...second, id: 'three' })]],
  ['one with other data', [...arrived, arrivalOf({ ...second, data: { record_id, amount: 20, day: '2026-03-02' } })]],
  [
    'one that came before the one before it was accepted',
    [arrivalOf(first, false), arrivalOf(second), arrivalOf(first)],
  ],
  ['a wrong signature', [...arrived, arrivalOf(second, true, `whsec_${Buffer.alloc(32, 8).toString('base64')}`)]],
])('the check of webhooks finds %s', async (_, arrivals) => {
  expect(await brokenBy(EVENTS, arrivals)).toEqual(['webhooks']);
});
