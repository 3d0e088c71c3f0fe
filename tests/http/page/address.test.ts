import { expect, test } from '@jest/globals';
import { addressOf, isOfHome } from '../../../adapters/http/page/browser/shell/address.ts';

test.each([
  ['', '', '', {}],
  ['#', '', '', {}],
  ['#/', '', '', {}],
  ['#anchor', '', '', {}],
  ['#/keys', 'keys', '', {}],
  ['#/sign-in', 'sign-in', '', {}],
  ['#/webhooks/3f0c?status=failed&cursor=a%2Bb', 'webhooks', '3f0c', { status: 'failed', cursor: 'a+b' }],
  [
    '#/atlas/instrument%3Astock%3AMSFT?include_retroactive=true',
    'atlas',
    'instrument:stock:MSFT',
    { include_retroactive: 'true' },
  ],
  ['#/records/%E0%A4%A', 'records', '%E0%A4%A', {}],
  ['#/__proto__/x', '__proto__', 'x', {}],
])('%s is the view "%s" with "%s"', (hash, name, rest, query) => {
  const address = addressOf(hash);
  expect([address.name, address.rest, Object.fromEntries(address.query)]).toEqual([name, rest, query]);
});

test('only the sections of the home are the home: an address of nothing is not', () => {
  for (const hash of ['', '#anchor', '#/', '#/atlas/X', '#/entries', '#/stablecoins']) {
    expect([hash, isOfHome(addressOf(hash).name)]).toEqual([hash, true]);
  }
  for (const hash of ['#/nonsense', '#/Atlas', '#/__proto__', '#/records/x']) {
    expect([hash, isOfHome(addressOf(hash).name)]).toEqual([hash, false]);
  }
});
