import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  forgetChoices,
  isTexts,
  keepChoice,
  keptChoice,
  lettersWork,
} from '../../../adapters/http/page/browser/kit/kept.ts';

const before = Object.getOwnPropertyDescriptor(globalThis, 'localStorage');

beforeAll(() => {
  const kept = new Map<string, string>();
  const localStorage = {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => void kept.set(name, value),
    removeItem: (name: string) => void kept.delete(name),
  };
  Object.defineProperty(globalThis, 'localStorage', { value: localStorage, configurable: true });
});

afterAll(() => {
  Reflect.deleteProperty(globalThis, 'localStorage');
  if (before) Object.defineProperty(globalThis, 'localStorage', before);
});

test('what an owner chose in the browser can be forgotten; how keys work stays', () => {
  keepChoice('decision-columns', ['mae']);
  keepChoice('decision-filters', { down: 'direction=bearish' });
  keepChoice('time-zone', 'Europe/Zurich');
  keepChoice('letter-keys', false);
  expect(keptChoice('decision-columns', isTexts, [])).toEqual(['mae']);
  forgetChoices();
  const isAny = (value: unknown): value is unknown => value !== null;
  for (const name of ['decision-columns', 'decision-filters', 'time-zone'] as const)
    expect(keptChoice(name, isAny, 'none')).toBe('none');
  expect(lettersWork()).toBe(false);
});
