import { expect, test } from '@jest/globals';
import { operatorName } from '../../infrastructure/operator-name.ts';

test.each([
  ['the user of the operating system', {}, 'ada', 'command line: ada'],
  ['whom sudo names, as claimed', { SUDO_USER: 'bob' }, 'root', 'command line: root (claimed: bob)'],
  ['an empty SUDO_USER as none', { SUDO_USER: '' }, 'root', 'command line: root'],
  ['other signs as question marks', { SUDO_USER: 'b\n(ob' }, 'ad"a', 'command line: ad?a (claimed: b??ob)'],
  ['64 signs of a long name', {}, 'a'.repeat(100), `command line: ${'a'.repeat(64)}`],
])('an operator’s name has %s', (_, env, user, name) => {
  expect(operatorName(env, user)).toBe(name);
});

test('without arguments it is the user who runs this process', () => {
  expect(operatorName()).toMatch(/^command line: \S+/);
});
