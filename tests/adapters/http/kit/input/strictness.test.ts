import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { refuseLooseObjects } from '../../../../../adapters/http/kit/endpoint.ts';

test.each([
  ['z.object', z.object({ a: z.string() })],
  ['z.looseObject', z.looseObject({ a: z.string() })],
  ['one deep inside', z.strictObject({ list: z.array(z.union([z.string(), z.object({})])).optional() })],
  ['one in a catchall', z.strictObject({}).catchall(z.object({}))],
])('%s is refused', (_, schema) => {
  expect(() => refuseLooseObjects('query', schema)).toThrow('query');
});

test.each([
  ['z.strictObject', z.strictObject({ a: z.string() })],
  ['a catchall of some type', z.strictObject({ a: z.string() }).catchall(z.string())],
  ['a record', z.record(z.string(), z.string())],
])('%s passes', (_, schema) => {
  expect(() => refuseLooseObjects('query', schema)).not.toThrow();
});
