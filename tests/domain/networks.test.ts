import { randomInt } from 'node:crypto';
import { BlockList, isIP } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { isInNetwork, isNetwork, networkText, parseAddress, parseNetwork } from '../../domain/networks.ts';

const TEXTS = [
  '192.0.2.7',
  '0.0.0.0',
  '255.255.255.255',
  '192.0.2.256',
  '192.0.2',
  '192.0.2.07',
  '1.2.3.4.5',
  '::',
  '::1',
  '1::',
  '2001:db8::7',
  '2001:DB8:0:0:1::7',
  '1:2:3:4:5:6:7:8',
  '1:2:3:4:5:6:7::',
  '::2:3:4:5:6:7:8',
  '1:2:3:4:5:6:7:8:9',
  '1:2:3:4::5:6:7:8',
  '1::2::3',
  ':1:2:3:4:5:6:7',
  '1:2:3:4:5:6:7:',
  ':::',
  '12345::',
  '::g',
  '::ffff:192.0.2.7',
  '64:ff9b::192.0.2.7',
  '1:2:3:4:5:6:192.0.2.7',
  '1:2:3:4:5:6:7:192.0.2.7',
  '::192.0.2.7:1',
  '::192.0.2',
  'unknown',
  '',
];

test.each(TEXTS)('%j is an address to us if it is one to Node.js', (text) => {
  expect(parseAddress(text) !== null).toBe(isIP(text) !== 0);
});

test.each([
  ['192.0.2.7', '192.0.2.7/32'],
  ['10.1.0.0/16', '10.1.0.0/16'],
  ['0.0.0.0/0', '0.0.0.0/0'],
  ['::/0', '::/0'],
  ['2001:DB8:0:0::/32', '2001:db8::/32'],
  ['2001:db8::7', '2001:db8::7/128'],
  ['1:0:0:2:0:0:0:3', '1:0:0:2::3/128'],
  ['1:0:2:0:3:0:4:0', '1:0:2:0:3:0:4:0/128'],
  ['0:0:1::/48', '0:0:1::/48'],
  ['::ffff:10.1.0.0/112', '10.1.0.0/16'],
  ['::ffff:192.0.2.7', '192.0.2.7/32'],
])('%s is shown as %s', (text, shown) => {
  const network = parseNetwork(text);
  expect(network && networkText(network)).toBe(shown);
  expect(isNetwork(text)).toBe(true);
  expect(isNetwork(shown)).toBe(true);
});

test.each([
  '10.1.2.3/16',
  '2001:db8::7/64',
  '10.0.0.0/33',
  '10.0.0.0/08',
  '::/129',
  '10.0.0.0/',
  '/8',
  '::ffff:10.0.0.0/95',
  'a/8',
  '10.0.0.0/8/8',
])('%s is no network of a key', (text) => {
  expect(isNetwork(text)).toBe(false);
});

describe('what is in a network', () => {
  test.each([
    ['192.0.2.0/24', '192.0.2.255', true],
    ['192.0.2.0/24', '192.0.3.0', false],
    ['192.0.2.0/24', '::ffff:192.0.2.1', true],
    ['::/0', '192.0.2.1', false],
    ['0.0.0.0/0', '2001:db8::1', false],
    ['2001:db8::/33', '2001:db8:7fff::1', true],
    ['2001:db8::/33', '2001:db8:8000::1', false],
  ])('%s has %s: %s', (network, address, isInside) => {
    expect(contains(network, address)).toBe(isInside);
  });

  test('is what Node.js finds in it, for random networks and addresses near their edges', () => {
    for (let round = 0; round < 2_000; round += 1) {
      const length = randomInt(0, 33);
      const address = () => Array.from({ length: 4 }, () => randomInt(0, 3)).join('.');
      const [network, sent] = [address(), address()];
      const list = new BlockList();
      list.addSubnet(network, length, 'ipv4');
      expect([network, length, sent, contains(`${network}/${length}`, sent)]).toEqual([
        ...[network, length, sent, list.check(sent, 'ipv4')],
      ]);
    }
  });

  function contains(network: string, sent: string): boolean {
    const [inside, address] = [parseNetwork(network), parseAddress(sent)];
    if (!inside || !address) throw new Error(`No network and address: ${network} ${sent}`);
    return isInNetwork(address, inside);
  }
});
