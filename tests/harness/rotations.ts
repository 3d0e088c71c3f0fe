import { race } from '../contracts/adapters.ts';
import { call } from '../whole/calls.ts';

const KEYS = '/api/v1/owner/auth/api-keys';
const STATUS = '/api/v1/public/auth/status';

/** Instances of one service, and an owner of it. */
export interface Campaign {
  readonly urls: readonly string[];
  /** The headers of a page of the service, with the session's cookie. */
  readonly headers: Readonly<Record<string, string>>;
  readonly rotations: number;
}

export interface Found {
  /** Number of requests that were sent during the rotations. */
  readonly sent: number;
  /** Requests with a key whose rotation had been acknowledged that were not refused with 401. */
  readonly acceptedLate: number;
  /** New keys that were refused right after the reply that contained them. */
  readonly refusedNew: number;
}

/**
 * Rotates one key over and over, by turns on each instance. Right after each reply the old and the new key are tried on
 * all instances; eight others keep asking all the time, with the key of the moment and with old ones.
 */
export async function rotateUnderLoad({ urls, headers, rotations }: Campaign): Promise<Found> {
  const at = (turn: number) => ({ url: urls[turn % urls.length] ?? '' });
  const found = { sent: 0, acceptedLate: 0, refusedNew: 0 };
  const old: string[] = [];
  const { body: first } = await call(at(0), KEYS, { headers, body: {} });
  let current: { readonly api_key: string; readonly key_prefix: string } = first;
  let over = false;

  async function ask(turn: number, key: string): Promise<number> {
    const late = old.includes(key);
    const { status } = await call(at(turn), STATUS, { key });
    found.sent += 1;
    if (late && status !== 401) found.acceptedLate += 1;
    return status;
  }

  const load = race(8, async (worker) => {
    for (let turn = worker; !over; turn += 1) {
      await ask(turn, (turn % 3 === 0 && old.at(-1 - (turn % 5))) || current.api_key);
    }
  });
  for (let turn = 0; turn < rotations; turn += 1) {
    const rotated = await call(at(turn), `${KEYS}/${current.key_prefix}/rotate`, { method: 'POST', headers });
    if (rotated.status !== 200) throw new Error(rotated.text);
    old.push(current.api_key);
    const before = current.api_key;
    current = rotated.body;
    const tried = await Promise.all(
      urls.flatMap((_, instance) => [ask(instance, before), ask(instance, current.api_key)]),
    );
    found.refusedNew += tried.filter((status, index) => index % 2 === 1 && status !== 200).length;
  }
  over = true;
  await load;
  return found;
}
