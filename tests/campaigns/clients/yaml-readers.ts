import { join } from 'node:path';
import fc from 'fast-check';
import { canonicalJson } from '../../../adapters/formats/canonical-json.ts';
import { skillMarkdown } from '../../../adapters/formats/skill-markdown.ts';
import { writeYaml } from '../../../adapters/formats/workflow-yaml.ts';
import { sha256Hex } from '../../../application/sha256.ts';
import { skillName } from '../../../domain/workflows/skill-name.ts';
import { SCHEMA_VERSION, sealSnapshot, snapshotContent } from '../../../domain/workflows/snapshot.ts';
import { draftDocument } from '../../../domain/workflows/workflow-files.ts';
import { ODD_NAMES } from '../../builders/odd-names.ts';
import { aReadyDraft, node } from '../../builders/workflows.ts';
import { anyDraft, SENDABLE_TEXTS } from '../../builders/yaml-drafts.ts';
import { DEBIANS_PYTHON } from '../../harness/python.ts';
import { unpackPackage } from '../stage/debian.ts';
import type { Tally } from '../stage/tally.ts';
import { run } from './programs.ts';

const DRAFTS = 1_500;
const workflow_ref = `wf:${'0'.repeat(64)}`;
const submit = { method: 'POST', path: '/api/v1/agent/decisions' };

/** PyYAML, which reads YAML 1.1, gets the values that were written into files of workflows and heads of skills. */
export async function checkYamlReaders(python: string, folder: string, tally: Tally): Promise<void> {
  const environment = await requirePyYaml(python, folder);
  const drafts = [aReadyDraft({ nodes: hostileNodes() }), ...fc.sample(anyDraft, DRAFTS)].map(draftDocument);
  const texts = [
    ...drafts.map((document) => [writeYaml(document), document]),
    ...[...ODD_NAMES, ...SENDABLE_TEXTS.filter((text) => text.trim() !== '' && text.length <= 120)].map(headOf),
  ];
  const input = texts.map((each) => JSON.stringify(each)).join('\n');
  const { stdout, stderr } = await run(python, [join(import.meta.dirname, 'read_yaml.py')], { environment, input });
  const { version, read, faults } = JSON.parse(stdout || '{}');
  const isAll = read === texts.length && faults.length === 0;
  tally.holds(
    `PyYAML ${version} reads ${texts.length} workflows and heads of skills as they are`,
    isAll,
    faults ?? stderr,
  );
}

function hostileNodes() {
  return SENDABLE_TEXTS.map((text, index) => node(`n${index}`, 'data.bars', { [text]: [text, { [text]: text }] }));
}

/** The head of the skill of a workflow with this name, and its value. */
function headOf(text: string): readonly [string, unknown] {
  const draft = aReadyDraft({ name: text, description: text });
  const name = skillName(sealSnapshot(draft, canonicalJson, sha256Hex));
  const markdown = skillMarkdown({ name, content: snapshotContent(draft), workflow_ref, submit });
  const [, head = ''] = markdown.split(/^---$/m);
  return [head, { name, description: text, metadata: { workflow_ref, schema_version: SCHEMA_VERSION } }];
}

/** The variables with which this Python has PyYAML: none where it is installed, else those of Debian's package. */
async function requirePyYaml(python: string, folder: string): Promise<Readonly<Record<string, string>>> {
  const { status } = await run(python, ['-c', 'import yaml'], { folder });
  if (status === 0) return {};
  if (python !== DEBIANS_PYTHON) throw new Error(`${python} has no PyYAML. Install it, or unset PYTHON.`);
  const place = join(folder, 'pyyaml');
  unpackPackage('python3-yaml', place, []);
  return { PYTHONPATH: join(place, 'usr/lib/python3/dist-packages') };
}
