import { cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Ended } from './programs.ts';

/**
 * Flips a bit of each file of a folder, one at a time and at several places, and runs the check each time.
 * @returns the flips that the check accepted, and how many there were
 */
export function acceptedFlips(folder: string, check: (served: string) => Ended): { accepted: string[]; flips: number } {
  const copy = `${folder}-flipped`;
  cpSync(folder, copy, { recursive: true });
  const accepted: string[] = [];
  let flips = 0;
  for (const file of filesBelow(copy)) {
    const content = readFileSync(join(copy, file));
    for (const at of placesIn(content)) {
      writeFileSync(join(copy, file), flippedAt(content, at));
      if (check(copy).status !== 1) accepted.push(`byte ${at} of ${file}`);
      flips += 1;
    }
    writeFileSync(join(copy, file), content);
  }
  rmSync(copy, { recursive: true });
  return { accepted, flips };
}

function filesBelow(folder: string): readonly string[] {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return paths.filter((path) => statSync(join(folder, path)).isFile()).toSorted();
}

/** The first byte, and three within. The last character of base64 has bits that mean nothing, so it is left out. */
function placesIn({ length }: Uint8Array): readonly number[] {
  return [...new Set([0, 1, 2, 3].map((quarter) => Math.floor((length * quarter) / 4)))];
}

function flippedAt(content: Uint8Array, at: number): Uint8Array {
  return content.map((byte, i) => (i === at ? byte ^ 1 : byte));
}
