import { DIRECTIONS } from '../../../../domain/decisions/call.ts';
import { DAY, MINUTE, SECOND } from '../../../../domain/time.ts';
import { SYMBOLS } from '../../stage/prices.ts';
import { type Accepted, breach, type Journal, now, type Sent } from '../journal.ts';
import { type Agent, anyOf, asAgent, type Crowd } from './crowd.ts';
import { isUnknown, type Reply } from './wire.ts';

const PATH = '/api/v1/agent/decisions';
const REFUSALS = [
  '429 DUPLICATE_SUBMISSION',
  '429 SUBMIT_FREQUENCY_EXCEEDED',
  '429 RETROACTIVE_QUOTA_EXCEEDED',
] as const;

/** Sends a new submission once, or twice at once; a few have no idempotency key. */
export async function submitSome(crowd: Crowd, agent: Agent, retroactive: boolean): Promise<void> {
  const sent = compose(crowd, agent, retroactive);
  crowd.journal.sent.push(sent);
  const twice = sent.key !== null && crowd.random.below(10) === 0;
  await Promise.all([submit(crowd, agent, sent), ...(twice ? [submit(crowd, agent, sent)] : [])]);
}

function compose({ random, stage }: Crowd, { caller }: Agent, retroactive: boolean): Sent {
  const nonce = `${caller.agent_id}-${random.below(2 ** 31)}-${random.below(2 ** 31)}`;
  // Older than a minute, so that no clock that a fault sets back makes it later than a submission allows.
  const age = retroactive ? 20 * DAY + random.below(40) * DAY : MINUTE + random.below(60) * SECOND;
  const horizon = retroactive
    ? { horizon_kind: 'trading_days', horizon_value: 1 + random.below(5) }
    : { horizon_kind: 'holding_seconds', horizon_value: 120 + random.below(180) };
  const body = JSON.stringify({
    market: 'crypto',
    symbol: random.pick(SYMBOLS),
    venue: 'BINANCE',
    asset_class: 'spot',
    quote_currency: 'USDT',
    direction: random.pick(DIRECTIONS),
    ...horizon,
    data_cutoff: new Date(stage.clock.now().getTime() - age).toISOString(),
    key_factors: [{ factor: 'A reason' }],
    confidence: random.below(101) / 100,
    meta: { nonce },
  });
  const key = random.below(20) === 0 ? null : nonce;
  return {
    caller,
    key,
    nonce,
    body,
    accepted: null,
    refused: null,
    unknown: false,
    wasUnknown: false,
    pending: 0,
    fresh: 0,
  };
}

/** Sends the submission and records its result. */
export async function submit(crowd: Crowd, agent: Agent, sent: Sent, body = sent.body): Promise<Reply> {
  sent.pending += 1;
  const headers = sent.key === null ? {} : { 'idempotency-key': sent.key };
  const right = ['201', ...(sent.accepted && sent.key !== null ? [] : REFUSALS)];
  const reply = await asAgent(crowd, agent, { method: 'POST', path: PATH, headers, body, right });
  sent.pending -= 1;
  if (isUnknown(reply)) sent.unknown = sent.wasUnknown = true;
  else if (reply.status === 201) accept(crowd.journal, sent, reply);
  else if (reply.code !== 'RATE_LIMIT_EXCEEDED' && reply.code !== 'UNAUTHORIZED') sent.refused = reply.code;
  return reply;
}

function accept(journal: Journal, sent: Sent, { text, body, headers, started, ended }: Reply): void {
  const accepted: Accepted = { record_id: body.record_id, commitment: body.commitment, text };
  const isReplay = headers['idempotency-replayed'] === 'true';
  if (!isReplay) {
    journal.acks.push({ started, ended });
    sent.fresh += 1;
  }
  if (sent.fresh > 1) breach(journal, 'replays', `${sent.nonce} was accepted as new twice`);
  if (sent.accepted === null) {
    sent.accepted = accepted;
    journal.byRecord.set(accepted.record_id, sent);
  } else if (sent.accepted.text !== text) {
    breach(journal, 'replays', `${sent.nonce} was answered ${sent.accepted.text} and then ${text}`);
  }
}

/** Sends a submission again: a known one is replayed, an unknown one gets a definite reply. */
export async function resendSome(crowd: Crowd): Promise<void> {
  const { journal, random } = crowd;
  const open = random.below(2) === 0 ? journal.sent.filter(({ key, unknown }) => key !== null && unknown) : [];
  const sent =
    anyOf(random, open) ??
    anyOf(
      random,
      journal.sent.filter(({ key, accepted }) => key && accepted),
    );
  const agent = sent && crowd.agents.find(({ caller }) => caller === sent.caller);
  if (!sent || !agent || sent.pending > 0) return;
  await resolve(crowd, agent, sent);
}

/** Sends it again. A definite reply ends the doubt, as no other attempt is pending. */
export async function resolve(crowd: Crowd, agent: Agent, sent: Sent): Promise<void> {
  const reply = await submit(crowd, agent, sent);
  const isDefinite = reply.status === 201 || REFUSALS.some((each) => each === `429 ${reply.code}`);
  if (isDefinite) sent.unknown = false;
}

/** Sends the key of an acknowledged submission with another body. */
export async function reuseKey(crowd: Crowd): Promise<void> {
  const { journal, random } = crowd;
  const sent = anyOf(
    random,
    journal.sent.filter(({ key, accepted }) => key && accepted),
  );
  const agent = sent && crowd.agents.find(({ caller }) => caller === sent.caller);
  if (!sent || !agent) return;
  const body = JSON.stringify({ ...JSON.parse(sent.body), confidence: 2 ** -10 * (1 + random.below(1_000)) });
  const headers = { 'idempotency-key': sent.key ?? '' };
  const right = ['422 IDEMPOTENCY_KEY_REUSED'];
  const reply = await asAgent(crowd, agent, { method: 'POST', path: PATH, headers, body, right });
  if (reply.status === 201) breach(journal, 'replays', `${sent.nonce} accepted another body at ${now()}`);
}
