import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { httpWebhookSender, judgedAddresses } from '../../../adapters/outgoing/http-webhook-sender.ts';
import { addressText, parseAddress } from '../../../domain/networks.ts';
import { FORGED_HOSTS, NEVER_REACHED, PRIVATE_ADDRESSES, PUBLIC_ADDRESSES } from '../../builders/forged-hosts.ts';
import { type DnsServer, dnsServer } from '../../harness/outgoing/dns-server.ts';
import { type Receiver, receiver } from '../../harness/outgoing/receiver.ts';

const ALL = [...NEVER_REACHED, ...PRIVATE_ADDRESSES, ...PUBLIC_ADDRESSES];
/** By address, the name that leads to it. */
const nameOf = (address: string) => `a${ALL.indexOf(address)}.example.com`;

let dns: DnsServer;
let inside: Receiver;

beforeAll(async () => {
  inside = await receiver((_, response) => response.end('inside'));
  dns = await dnsServer({
    ...Object.fromEntries(ALL.map((address) => [nameOf(address), [[address]]])),
    'mixed.example.com': [['10.0.0.1', '8.8.8.8', '169.254.169.254', 'fe80::1', '2606:4700::1111']],
    'many.example.com': [Array.from({ length: 20 }, (_, n) => `8.8.8.${n}`)],
    'rebinding.example.com': [['8.8.8.8'], ['127.0.0.1']],
    'trap.example.com': [['0.0.0.0'], ['127.0.0.1']],
    'shifting.example.com': [['127.0.0.1'], ['0.0.0.0']],
    'silent.example.com': [],
  });
});
afterAll(() => {
  dns.close();
  inside.close();
});

const lookUp = (host: string, allowPrivate = false) =>
  judgedAddresses(host, { rule: { allowPrivate }, dnsServers: [dns.address], signal: AbortSignal.timeout(30_000) });

const send = (host: string, allowPrivate: boolean, deadline = 30_000) =>
  httpWebhookSender({ allowPrivate, proxy: null }, { dnsServers: [dns.address], deadline }).send({
    url: `${allowPrivate ? 'http' : 'https'}://${host}:${inside.port}/`,
    headers: {},
    body: '{}',
  });

const REFUSED = { outcome: 'failed', reason: 'ADDRESS_REFUSED' };

describe('no connection is made', () => {
  test('though a server listens there', async () => {
    for (const host of ['127.0.0.1', '0.0.0.0']) {
      const socket = connect({ host, port: inside.port });
      await once(socket, 'connect');
      socket.destroy();
    }
    await inside.idle();
    expect(inside.connections()).toBe(2);
  });

  test.each(NEVER_REACHED)('to a name that leads to %s', async (address) => {
    const before = inside.connections();
    expect(await send(nameOf(address), false)).toEqual(REFUSED);
    expect(await send(nameOf(address), true)).toEqual(REFUSED);
    expect(inside.connections()).toBe(before);
  });

  test.each(PRIVATE_ADDRESSES)('to a name that leads to %s, unless private ones are allowed', async (address) => {
    const before = inside.connections();
    expect(await send(nameOf(address), false)).toEqual(REFUSED);
    expect(inside.connections()).toBe(before);
    expect(await lookUp(nameOf(address), true)).toEqual([plain(address)]);
  });

  test.each(FORGED_HOSTS)('to https://%s', async (host) => {
    const before = [inside.connections(), dns.questions.length];
    expect(await send(host, false)).toEqual(REFUSED);
    expect([inside.connections(), dns.questions.length]).toEqual(before);
  });
});

describe('the addresses of a name', () => {
  test.each(PUBLIC_ADDRESSES)('%s is one', async (address) => {
    expect(await lookUp(nameOf(address))).toEqual([plain(address)]);
  });

  test('are the public ones of those that it has', async () => {
    expect(await lookUp('mixed.example.com')).toEqual(['8.8.8.8', '2606:4700::1111']);
  });

  test('are at most four', async () => {
    expect(await lookUp('many.example.com')).toHaveLength(4);
  });

  test('are none for a name that does not exist', async () => {
    expect(await send('nowhere.example.com', false)).toEqual({ outcome: 'failed', reason: 'CONNECTION_FAILED' });
  });

  test('are not waited for longer than the deadline', async () => {
    expect(await send('silent.example.com', false, 200)).toEqual({ outcome: 'failed', reason: 'TIMED_OUT' });
  });
});

describe('a name that leads elsewhere when it is resolved again', () => {
  test('is connected to at the address that was judged', async () => {
    expect(await send('shifting.example.com', true)).toMatchObject({ outcome: 'answered', status: 200 });
    expect(questionsOf('shifting.example.com')).toEqual(['A', 'AAAA']);
  });

  test('stays refused for the answer that was judged', async () => {
    const before = inside.connections();
    expect(await send('trap.example.com', true)).toEqual(REFUSED);
    expect([inside.connections(), questionsOf('trap.example.com')]).toEqual([before, ['A', 'AAAA']]);
  });

  test('is judged again for each attempt', async () => {
    expect(await lookUp('rebinding.example.com')).toEqual(['8.8.8.8']);
    const before = inside.connections();
    expect(await send('rebinding.example.com', false)).toEqual(REFUSED);
    expect(inside.connections()).toBe(before);
  });
});

test('localhost is the loopback of the machine, without a question, where private ones are allowed', async () => {
  const before = dns.questions.length;
  expect(await lookUp('localhost', true)).toEqual(['127.0.0.1', '::1']);
  expect(await send('localhost', true)).toMatchObject({ outcome: 'answered', status: 200 });
  expect(dns.questions).toHaveLength(before);
});

function questionsOf(name: string): readonly string[] {
  const kinds = dns.questions.map((question) => question.split(' ')).filter(([, asked]) => asked === name);
  return kinds.map(([kind = '']) => kind).sort();
}

/** As sockets take it; an IPv4 address inside IPv6 as IPv4. */
function plain(text: string): string {
  const address = parseAddress(text);
  return address ? addressText(address) : '';
}
