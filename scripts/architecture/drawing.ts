import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** The layers from the outside in. */
export const DRAWN_LAYERS = ['infrastructure', 'clients', 'adapters', 'application', 'domain'] as const;

const LEFT = 130;
const RIGHT = 620;
const BOX = { height: 26, gap: 8, letter: 7.3, padding: 12 } as const;
const BAND = { padding: 14, gap: 26 } as const;
/** Between arrows, across and along. */
const STEP = { x: 16, y: 6 } as const;

interface Band {
  readonly layer: string;
  readonly top: number;
  readonly height: number;
  readonly boxes: readonly { readonly room: string; readonly x: number; readonly y: number; readonly width: number }[];
}

/**
 * The layers with their rooms, which are folders, and an arrow for each layer that imports another one, as SVG. It changes
 * when a room comes or goes, or when a layer begins to import another one.
 */
export function architectureDrawing(imports: Imports): string {
  const bands = bandsOf([...imports.keys()]);
  const last = bands.at(-1);
  const height = (last ? last.top + last.height : 0) + BAND.gap;
  const dependencies = dependenciesOf(imports);
  const arrows = dependencies.map(([from, to], at) => arrow(bands, from, to, at - (dependencies.length - 1) / 2));
  const width = RIGHT + (dependencies.length + 2) * STEP.x;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    '<title>The layers of Stancebook with their folders; arrows lead from a layer to those that it imports.</title>',
    '<defs><marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto">',
    '<path d="M0 0L8 4L0 8z" fill="#1f4e79"/></marker></defs>',
    `<rect width="${width}" height="${height}" fill="#fcfbf8"/>`,
    '<g font-family="sans-serif" font-size="13" fill="#1d2430">',
    ...bands.map(bandDrawing),
    ...arrows,
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

function bandsOf(files: readonly string[]): readonly Band[] {
  const bands: Band[] = [];
  for (const layer of DRAWN_LAYERS) {
    const below = bands.at(-1);
    bands.push(bandOf(layer, roomsOf(files, layer), below ? below.top + below.height + BAND.gap : BAND.gap));
  }
  return bands;
}

/** The folders right below a layer. */
function roomsOf(files: readonly string[], layer: string): readonly string[] {
  const inLayer = files.filter((file) => file.startsWith(`${layer}/`)).map((file) => file.split('/'));
  return [...new Set(inLayer.flatMap(([, room = '', inner]) => (inner === undefined ? [] : [room])))].sort();
}

function bandOf(layer: string, rooms: readonly string[], top: number): Band {
  let [x, y] = [LEFT + BAND.padding, top + BAND.padding];
  const boxes = rooms.map((room) => {
    const width = Math.round(room.length * BOX.letter + 2 * BOX.padding);
    if (x + width > RIGHT - BAND.padding) [x, y] = [LEFT + BAND.padding, y + BOX.height + BOX.gap];
    const box = { room, x, y, width };
    x += width + BOX.gap;
    return box;
  });
  return { layer, top, height: y + BOX.height + BAND.padding - top, boxes };
}

function bandDrawing({ layer, top, height, boxes }: Band): string {
  const middle = top + height / 2 + 5;
  return [
    `<rect x="${LEFT}" y="${top}" width="${RIGHT - LEFT}" height="${height}" rx="8" fill="#fff" stroke="#b9c2cc"/>`,
    `<text x="${LEFT - 12}" y="${middle}" text-anchor="end" font-weight="bold">${layer}</text>`,
    ...boxes.flatMap(({ room, x, y, width }) => [
      `<rect x="${x}" y="${y}" width="${width}" height="${BOX.height}" rx="5" fill="#e9eff5"/>`,
      `<text x="${x + width / 2}" y="${y + 18}" text-anchor="middle">${room}</text>`,
    ]),
  ].join('\n');
}

/** Which layer imports which other one. */
function dependenciesOf(imports: Imports): readonly (readonly [from: string, to: string])[] {
  const found = new Set([...imports].flatMap(([file, to]) => to.map((each) => `${layerOf(file)} ${layerOf(each)}`)));
  return DRAWN_LAYERS.flatMap((from) =>
    DRAWN_LAYERS.filter((to) => to !== from && found.has(`${from} ${to}`)).map((to) => [from, to] as const),
  );
}

function layerOf(file: string): string {
  return file.slice(0, file.indexOf('/'));
}

/** @param place from the middle of all arrows; each has a height of its own at both ends */
function arrow(bands: readonly Band[], from: string, to: string, place: number): string {
  const heightOf = (layer: string) => {
    const band = bands.find((each) => each.layer === layer);
    return (band ? band.top + band.height / 2 : 0) + place * STEP.y;
  };
  const across = RIGHT + (place + bands.length + 1) * STEP.x;
  const path = `M${RIGHT} ${heightOf(from)}H${across}V${heightOf(to)}H${RIGHT + 2}`;
  return `<path d="${path}" fill="none" stroke="#1f4e79" marker-end="url(#head)"><title>${from} imports ${to}</title></path>`;
}

const ROOT = join(import.meta.dirname, '..', '..');

/** By file, the files that it imports, as paths from the root; imports of types count, packages do not. */
export type Imports = ReadonlyMap<string, readonly string[]>;

/** The text of each module below the folders, by its path from the root. */
export function sourcesOf(folders: readonly string[]): ReadonlyMap<string, string> {
  return new Map(folders.flatMap(filesBelow).map((file) => [file, readFileSync(join(ROOT, file), 'utf8')]));
}

function filesBelow(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.m?ts$/.test(entry.name) && !entry.name.startsWith('planted-violation'))
    .map((entry) => normalize(join(entry.parentPath, entry.name)).slice(ROOT.length + 1))
    .filter((file) => !file.includes('/node_modules/'));
}

export function importsOf(files: ReadonlyMap<string, string>): Imports {
  const statement = /^(?:(?:import|export)\b[^;'`]*?\bfrom|import) '(\.{1,2}\/[^']+)'|\bimport\('(\.{1,2}\/[^']+)'\)/gm;
  return new Map(
    [...files].map(([file, source]) => {
      const named = [...source.matchAll(statement)].map(([, still, later]) => still ?? later ?? '');
      return [file, named.filter(isModule).map((specifier) => normalize(join(dirname(file), specifier)))];
    }),
  );
}

/** Data has no imports. */
function isModule(specifier: string): boolean {
  return !specifier.endsWith('.json');
}
