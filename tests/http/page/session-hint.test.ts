import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { isTexts, keepChoice, keptChoice, lettersWork } from '../../../adapters/http/page/browser/kit/kept.ts';
import { forgetSession, isSignedIn, noteSession } from '../../../adapters/http/page/browser/kit/session-hint.ts';

const before = Object.getOwnPropertyDescriptor(globalThis, 'localStorage');
const dispatchBefore = Object.getOwnPropertyDescriptor(globalThis, 'dispatchEvent');

beforeAll(() => {
  const kept = new Map<string, string>();
  const localStorage = {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => void kept.set(name, value),
    removeItem: (name: string) => void kept.delete(name),
  };
  Object.defineProperty(globalThis, 'localStorage', { value: localStorage, configurable: true });
  Object.defineProperty(globalThis, 'dispatchEvent', { value: () => true, configurable: true });
});

afterAll(() => {
  Reflect.deleteProperty(globalThis, 'localStorage');
  Reflect.deleteProperty(globalThis, 'dispatchEvent');
  if (before) Object.defineProperty(globalThis, 'localStorage', before);
  if (dispatchBefore) Object.defineProperty(globalThis, 'dispatchEvent', dispatchBefore);
});

test.each([
  ['of now', '2999-01-01T00:00:00Z'],
  ['that expired', '2003-02-13T14:00:00Z'],
])('what an owner chose in the browser goes with a session %s; how keys work stays', (_, expiresAt) => {
  noteSession(expiresAt);
  keepChoice('decision-columns', ['mae']);
  keepChoice('decision-filters', { down: 'direction=bearish' });
  keepChoice('time-zone', 'Europe/Zurich');
  keepChoice('letter-keys', false);
  expect(keptChoice('decision-columns', isTexts, [])).toEqual(['mae']);
  forgetSession();
  expect(isSignedIn()).toBe(false);
  const isAny = (value: unknown): value is unknown => value !== null;
  for (const name of ['decision-columns', 'decision-filters', 'time-zone'] as const)
    expect(keptChoice(name, isAny, 'none')).toBe('none');
  expect(lettersWork()).toBe(false);
});
