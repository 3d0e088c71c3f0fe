import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { buildWheel } from '../../scripts/wheel.ts';
import { PYTHON } from '../harness/python.ts';
import { makeThrowawayFolder, removeThrowawayFolder } from '../harness/throwaway-folder.ts';
import { runPython } from './python/run-python.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(ROOT, file));

const folder = makeThrowawayFolder('wheel');
afterAll(() => removeThrowawayFolder(folder));

const [wheel = '', sdist = ''] = buildWheel(folder, PYTHON);

/** The content of each file of a wheel or an sdist, in Base64. */
async function filesIn(archive: string): Promise<Readonly<Record<string, string>>> {
  const script = `
import base64, json, sys, tarfile, zipfile
path = sys.argv[1]
if path.endswith(".whl"):
    with zipfile.ZipFile(path) as wheel:
        files = {name: wheel.read(name) for name in wheel.namelist()}
else:
    with tarfile.open(path) as sdist:
        files = {each.name: sdist.extractfile(each).read() for each in sdist.getmembers()}
print(json.dumps({name: base64.b64encode(content).decode() for name, content in files.items()}))
`;
  const { stdout, stderr } = await runPython(['-c', script, join(folder, archive)]);
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

const textOf = (base64 = '') => Buffer.from(base64, 'base64').toString('utf8');

describe('the Python package', () => {
  test('is the file of the client, typed, with licence, notice and the command', async () => {
    const files = await filesIn(wheel);
    const info =
      Object.keys(files)
        .find((name) => name.endsWith('/METADATA'))
        ?.replace(/METADATA$/, '') ?? '';
    expect(textOf(files['stancebook/__init__.py'])).toBe(read('clients/python/stancebook.py').toString());
    expect(files['stancebook/py.typed']).toBe('');
    for (const name of ['LICENSE', 'NOTICE'])
      expect(textOf(files[`${info}licenses/${name}`])).toBe(read(name).toString());
    expect(textOf(files[`${info}entry_points.txt`])).toBe('[console_scripts]\nstancebook = stancebook:main\n');
    const metadata = textOf(files[`${info}METADATA`]);
    expect(metadata).toMatch(/^Metadata-Version: 2\.4\nName: stancebook\nVersion: \d+\.\d+\.\d+\n/);
    expect(metadata).toContain('\nLicense-Expression: Apache-2.0\n');
    expect(metadata).toContain('\nRequires-Python: >=3.9\n');
  });

  test('runs from the wheel', async () => {
    const { status, stdout } = await runPython(['-m', 'stancebook', '--version'], { PYTHONPATH: join(folder, wheel) });
    expect([status, stdout]).toEqual([0, expect.stringMatching(/^stancebook \d+\.\d+\.\d+\n$/)]);
  });

  test('is built byte for byte the same again, and from its own sdist', async () => {
    const again = makeThrowawayFolder('wheel');
    try {
      buildWheel(again, PYTHON);
      for (const name of [wheel, sdist])
        expect(readFileSync(join(again, name)).equals(readFileSync(join(folder, name)))).toBe(true);
      const script = `
import os, sys, tarfile
archive, folder = sys.argv[1:]
with tarfile.open(archive) as sdist:
    sdist.extractall(folder)
sys.path.insert(0, os.path.join(folder, os.path.basename(archive)[:-len(".tar.gz")]))
import build_backend
sys.modules["tomllib"] = None
build_backend.build_wheel(folder)
`;
      const run = await runPython(['-c', script, join(folder, sdist), again], { PYTHONPATH: '' });
      expect(run).toEqual({ status: 0, stdout: '', stderr: '' });
      expect(readFileSync(join(again, wheel)).equals(readFileSync(join(folder, wheel)))).toBe(true);
    } finally {
      removeThrowawayFolder(again);
    }
  });

  test('its files have the time of SOURCE_DATE_EPOCH', async () => {
    const dated = makeThrowawayFolder('wheel');
    const script = `
import os, sys, tarfile, zipfile
import build_backend
wheel, sdist = build_backend.build_wheel(sys.argv[1]), build_backend.build_sdist(sys.argv[1])
print({each.date_time for each in zipfile.ZipFile(os.path.join(sys.argv[1], wheel)).infolist()})
print({each.mtime for each in tarfile.open(os.path.join(sys.argv[1], sdist)).getmembers()})
`;
    try {
      const { stdout } = await runPython(['-c', script, dated], { SOURCE_DATE_EPOCH: '1767225600' });
      expect(stdout).toBe('{(2026, 1, 1, 0, 0, 0)}\n{1767225600}\n');
    } finally {
      removeThrowawayFolder(dated);
    }
  });
});
