import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { architectureDrawing, DRAWN_LAYERS, importsOf, sourcesOf } from '../../scripts/architecture/drawing.ts';

const sources = sourcesOf(DRAWN_LAYERS);

test('the picture of the architecture is that of the code: node scripts/write-architecture.ts', () => {
  const picture = readFileSync(join(import.meta.dirname, '../../docs/pictures/architecture.svg'), 'utf8');
  expect(picture).toBe(architectureDrawing(importsOf(sources)));
});

test.each([
  ['a new room', 'domain/planted/rule.ts', ''],
  ['an import outwards', 'domain/planted.ts', `import { ports } from '../application/ports.ts';`],
])('%s changes it', (_, file, source) => {
  const planted = new Map([...sources, [file, source]]);
  expect(architectureDrawing(importsOf(planted))).not.toBe(architectureDrawing(importsOf(sources)));
});
