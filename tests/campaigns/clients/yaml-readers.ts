import { join } from 'node:path';
import { DEBIANS_PYTHON } from '../../harness/python.ts';
import { yamlTexts } from '../../harness/yaml-texts.ts';
import { unpackPackage } from '../stage/debian.ts';
import type { Tally } from '../stage/tally.ts';
import { run } from './programs.ts';

const DRAFTS = 1_500;

/** PyYAML, which reads YAML 1.1, gets the values that were written into files of workflows and heads of skills. */
export async function checkYamlReaders(python: string, folder: string, tally: Tally): Promise<void> {
  const environment = await requirePyYaml(python, folder);
  const texts = yamlTexts(DRAFTS);
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

/** The variables with which this Python has PyYAML: none where it is installed, else those of Debian's package. */
async function requirePyYaml(python: string, folder: string): Promise<Readonly<Record<string, string>>> {
  const { status } = await run(python, ['-c', 'import yaml'], { folder });
  if (status === 0) return {};
  if (python !== DEBIANS_PYTHON) throw new Error(`${python} has no PyYAML. Install it, or unset PYTHON.`);
  const place = join(folder, 'pyyaml');
  unpackPackage('python3-yaml', place, []);
  return { PYTHONPATH: join(place, 'usr/lib/python3/dist-packages') };
}
