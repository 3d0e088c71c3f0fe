import { getPriority } from 'node:os';
import { expect, test } from '@jest/globals';
import { workflowYaml } from '../../../adapters/formats/workflow-yaml.ts';
import { YamlReaders } from '../../../adapters/formats/yaml-readers.ts';
import { WORKFLOW } from '../../../domain/limits.ts';

const { importBytes, parsesAtOnce, parsesWaiting } = WORKFLOW;

/** Takes the parser longer than any deadline here. */
const ENDLESS = `[${','.repeat(importBytes * 64)}]`;

test('reads many texts at once, each its own', async () => {
  const yaml = workflowYaml();
  const texts = Array.from({ length: parsesAtOnce + parsesWaiting }, (_, index) => `a: ${index}`);
  const read = await Promise.all(texts.map((text) => yaml.read(text)));
  expect(read.map(({ json }) => json)).toEqual(texts.map((_, index) => `{"a":${index}}`));
});

test('gives way to those who serve: the process itself keeps its priority', async () => {
  const before = getPriority();
  await workflowYaml().read('a: 1');
  expect(getPriority()).toBe(before);
});

test('503 for more than can wait; whoever waits is served', async () => {
  const yaml = workflowYaml(new YamlReaders({ parsesAtOnce: 1, parsesWaiting: 2, parseDeadline: 60_000 }));
  const all = await Promise.allSettled(Array.from({ length: 5 }, () => yaml.read('a: 1')));
  const refused = all.filter(({ status }) => status === 'rejected');
  expect(all.map(({ status }) => status).slice(0, 3)).toEqual(Array(3).fill('fulfilled'));
  expect(refused).toEqual(
    Array(2).fill({
      status: 'rejected',
      reason: expect.objectContaining({ code: 'SERVICE_UNAVAILABLE', status: 503 }),
    }),
  );
});

test('400 for what takes too long; its reader is gone, and those who wait are served by another', async () => {
  const yaml = workflowYaml(new YamlReaders({ parsesAtOnce: 1, parsesWaiting: 4, parseDeadline: 300 }));
  const endless = yaml.read(ENDLESS);
  const patient = [1, 2].map(() => retried(() => yaml.read('a: 1')));
  await expect(endless).rejects.toMatchObject({ code: 'MALFORMED_BODY', message: expect.stringMatching(/takes more/) });
  for (const each of patient) expect((await each).json).toBe('{"a":1}');
});

test('a reader that has run out of memory is replaced', async () => {
  const yaml = workflowYaml(new YamlReaders({ parsesAtOnce: 1, parsesWaiting: 1, parseDeadline: 60_000 }));
  const heavy = `{${'a,'.repeat(4_000_000)}}`;
  await expect(yaml.read(heavy)).rejects.toMatchObject({ code: 'MALFORMED_BODY' });
  expect((await yaml.read('a: 1')).json).toBe('{"a":1}');
});

/** On a machine that is busy even a small text may take longer than a short deadline. */
async function retried<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (tries === 20) throw error;
    }
  }
}
