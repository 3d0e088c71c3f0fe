import { describe, expect, test } from '@jest/globals';
import ipaddr from 'ipaddr.js';
import { parseAddress } from '../../../domain/networks.ts';
import { isAdmittedAddress } from '../../../domain/webhooks/webhook-url.ts';
import { NEVER_REACHED, PRIVATE_ADDRESSES, PUBLIC_ADDRESSES } from '../../builders/forged-hosts.ts';

function isAdmitted(text: string, allowPrivate: boolean): boolean {
  const address = parseAddress(text);
  if (!address) throw new Error(`${text} is no address`);
  return isAdmittedAddress(address, { allowPrivate });
}

describe('an address', () => {
  test.each(NEVER_REACHED)('%s is never reached', (text) => {
    expect([isAdmitted(text, false), isAdmitted(text, true)]).toEqual([false, false]);
  });

  test.each(PRIVATE_ADDRESSES)('%s is reached where private ones are allowed', (text) => {
    expect([isAdmitted(text, false), isAdmitted(text, true)]).toEqual([false, true]);
  });

  test.each(PUBLIC_ADDRESSES)('%s is reached', (text) => {
    expect([isAdmitted(text, false), isAdmitted(text, true)]).toEqual([true, true]);
  });
});

/** Of the special addresses of clouds, which are ordinary ones to the registries, no library knows. */
test('whatever ipaddr.js calls special is not reached', () => {
  const firsts = Array.from({ length: 0x100 }, (_, byte) => byte);
  const ipv4 = firsts.flatMap((a) => firsts.map((b) => `${a}.${b}.0.1`));
  const ipv6 = Array.from({ length: 0x10000 }, (_, group) => `${group.toString(16)}::1`);
  const wrong = [...ipv4, ...ipv6].filter(
    (text) => ipaddr.process(text).range() !== 'unicast' && isAdmitted(text, false),
  );
  expect(wrong).toEqual([]);
  const refused = ipv4.filter((text) => ipaddr.process(text).range() === 'unicast' && !isAdmitted(text, false));
  expect(refused).toEqual([]);
});
