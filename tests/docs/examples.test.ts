import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { configFaultsBySchema } from '../../adapters/formats/config-faults.ts';
import { readYaml } from '../../adapters/formats/yaml-text.ts';
import { workflowDocument } from '../../adapters/http/shapes/workflows/workflow-document.ts';
import { readiness } from '../../domain/workflows/readiness.ts';

const EXAMPLES = join(import.meta.dirname, '../../docs/examples');

const files = readdirSync(EXAMPLES);

test('there are three example workflows', () => {
  expect(files).toEqual(['crypto-swing.yaml', 'earnings-reaction.yaml', 'momentum-plan.yaml']);
});

test.each(files)('%s can be imported and published unchanged', (file) => {
  const reading = readYaml(readFileSync(join(EXAMPLES, file), 'utf8'));
  const draft = workflowDocument.parse(JSON.parse('json' in reading ? reading.json : 'null'));
  expect(readiness({ ...draft, visibility: 'public' }, configFaultsBySchema())).toEqual({ ready: true, failures: [] });
});
