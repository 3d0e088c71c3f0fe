import { readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { DEBIANS_PYTHON } from '../../harness/python.ts';
import { unpackPackage } from '../stage/debian.ts';
import { run } from './programs.ts';

/** What a picture in a file needs none of: PDF, windows, and pages. They would be most of the megabytes. */
const UNNEEDED = ['python3-fonttools', 'python3-tk', 'python3-pil.imagetk', 'libjs-jquery', 'libjs-jquery-ui'];

/**
 * The variables with which this Python has a matplotlib: none where it is installed, else those of Debian's package,
 * unpacked into the folder.
 * @throws Error where it is neither installed nor to be had from Debian
 */
export async function requireMatplotlib(python: string, folder: string): Promise<Readonly<Record<string, string>>> {
  const { status } = await run(python, ['-c', 'import matplotlib'], { folder });
  if (status === 0) return {};
  if (python !== DEBIANS_PYTHON) throw new Error(`${python} has no matplotlib. Install it, or unset PYTHON.`);
  const place = join(folder, 'matplotlib');
  unpackPackage('python3-matplotlib', place, UNNEEDED);
  const modules = join(place, 'usr/lib/python3/dist-packages');
  symlinkSync(join(place, 'usr/share/matplotlib/mpl-data'), join(modules, 'matplotlib/mpl-data'));
  const of = readdirSync(join(place, 'usr/lib')).find((name) => name.endsWith('-linux-gnu')) ?? '';
  const libraries = join(place, 'usr/lib', of);
  const paths = ['.', 'blas', 'lapack'].map((each) => join(libraries, each));
  return { PYTHONPATH: modules, LD_LIBRARY_PATH: paths.join(':'), MATPLOTLIBRC: join(place, 'etc/matplotlibrc') };
}
