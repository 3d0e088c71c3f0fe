import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Of these packages the project uses single files; the others, over 100 MB, are removed once they are unpacked. Paths are
 * below node_modules. `drop` names what goes, `keep` what stays.
 */
const SPARE = [
  { name: `node-${process.platform}-${process.arch}`, drop: ['include', 'share'] },
  { name: 'vega-datasets', keep: ['package.json', 'README.md', 'LICENSE', 'data/sp500-2000.csv'] },
  { name: 'amcharts3', keep: ['package.json', 'licence.txt', 'amcharts/plugins/dataloader/examples/data'] },
];

/** Removes what nobody reads from the packages of a folder. */
export function removeSpareFiles(folder) {
  for (const { name, drop = [], keep } of SPARE) {
    const installed = join(folder, 'node_modules', name);
    if (!existsSync(installed)) continue;
    for (const path of drop) rmSync(join(installed, path), { recursive: true, force: true });
    if (keep) keepOnly(installed, keep);
  }
}

function keepOnly(folder, kept) {
  for (const entry of readdirSync(folder)) {
    if (kept.includes(entry)) continue;
    const below = kept.filter((path) => path.startsWith(`${entry}/`)).map((path) => path.slice(entry.length + 1));
    if (below.length > 0) keepOnly(join(folder, entry), below);
    else rmSync(join(folder, entry), { recursive: true });
  }
}
