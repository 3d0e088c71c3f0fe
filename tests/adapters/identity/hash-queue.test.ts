import { expect, test } from '@jest/globals';
import { hashQueue } from '../../../adapters/identity/passwords.ts';
import type { HashTurn } from '../../../domain/accounts/sign-in/password.ts';

const WIDE = { atOnce: 1, waiting: 100, ofOwner: 100, ofNetwork: 100 };
const REFUSALS = {
  tooManyOfOne() {
    throw new Error('too many of one');
  },
  full() {
    throw new Error('full');
  },
};
const turnOf = (purpose: HashTurn['purpose'], network = 'a', owner_id?: string): HashTurn =>
  owner_id === undefined ? { purpose, network } : { purpose, network, owner_id };
const soon = () => new Promise((resolve) => setImmediate(resolve));

/** Adds the turns at once, by name, and returns the names in the order in which they ran, then those refused. */
async function orderOf(limits: typeof WIDE, turns: Readonly<Record<string, HashTurn | undefined>>) {
  const inTurn = hashQueue(limits, REFUSALS);
  const order: string[] = [];
  const refused: string[] = [];
  const all = Object.entries(turns).map(([name, turn]) =>
    inTurn(async () => {
      order.push(name);
      await soon();
    }, turn).catch(({ message }) => refused.push(`${name}: ${message}`)),
  );
  await Promise.all(all);
  return { order, refused };
}

test('never more run at once than allowed, also when one comes as another ends', async () => {
  const inTurn = hashQueue({ ...WIDE, atOnce: 2 }, REFUSALS);
  let running = 0;
  let most = 0;
  const work = async () => {
    running += 1;
    most = Math.max(most, running);
    await soon();
    running -= 1;
  };
  const chain = async () => {
    for (let round = 0; round < 5; round += 1) await inTurn(work, turnOf('login'));
  };
  await Promise.all(Array.from({ length: 8 }, chain));
  expect(most).toBe(2);
});

test('work that throws frees its places', async () => {
  const inTurn = hashQueue({ ...WIDE, ofOwner: 1 }, REFUSALS);
  const mine = turnOf('change', 'a', 'ada');
  await expect(inTurn(async () => Promise.reject(new Error('failed')), mine)).rejects.toThrow('failed');
  expect(await inTurn(async () => 'served', mine)).toBe('served');
});

test('operators go before logins, logins before sign-ups, and these before password changes', async () => {
  const { order } = await orderOf(WIDE, {
    running: turnOf('change'),
    change: turnOf('change'),
    'sign-up': turnOf('sign-up'),
    login: turnOf('login'),
    operator: undefined,
  });
  expect(order).toEqual(['running', 'operator', 'login', 'sign-up', 'change']);
});

test('the first of each network goes before the second of any', async () => {
  const { order } = await orderOf(WIDE, {
    running: turnOf('login', 'a'),
    a1: turnOf('login', 'a'),
    a2: turnOf('login', 'a'),
    a3: turnOf('login', 'a'),
    b1: turnOf('login', 'b'),
    b2: turnOf('login', 'b'),
    c1: turnOf('login', 'c'),
  });
  expect(order).toEqual(['running', 'a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
});

test('an owner and a network have so many places, running or waiting, and not more', async () => {
  const { order, refused } = await orderOf(
    { ...WIDE, ofOwner: 1, ofNetwork: 2 },
    {
      ada: turnOf('change', 'a', 'ada'),
      adaElsewhere: turnOf('change', 'b', 'ada'),
      ben: turnOf('change', 'a', 'ben'),
      cleo: turnOf('change', 'a', 'cleo'),
      login: turnOf('login', 'a'),
    },
  );
  expect(order).toEqual(['ada', 'login', 'ben']);
  expect(refused).toEqual(['adaElsewhere: too many of one', 'cleo: too many of one']);
});

test('a full queue refuses what comes last, or gives up its last for what goes before it', async () => {
  const { order, refused } = await orderOf(
    { ...WIDE, waiting: 2 },
    {
      running: turnOf('change', 'a'),
      change1: turnOf('change', 'a'),
      change2: turnOf('change', 'a'),
      change3: turnOf('change', 'a'),
      login1: turnOf('login', 'b'),
      login2: turnOf('login', 'b'),
      login3: turnOf('login', 'b'),
      signUp: turnOf('sign-up', 'c'),
    },
  );
  expect(order).toEqual(['running', 'login1', 'login2']);
  expect(refused.toSorted()).toEqual([
    'change1: full',
    'change2: full',
    'change3: full',
    'login3: full',
    'signUp: full',
  ]);
});
