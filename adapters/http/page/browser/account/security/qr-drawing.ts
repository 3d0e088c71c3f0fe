import { addressOfFile } from '../../kit/served-file.ts';
import { s } from '../../kit/svg.ts';

type Uqr = typeof import('uqr');

/** The empty border that readers of codes need, in modules (ISO/IEC 18004:2015, section 6.3.8). */
const QUIET_ZONE = 4;

/** A text as a QR code, dark on light on every screen, because not every reader knows the opposite. */
export async function qrDrawing(text: string, name: string): Promise<SVGElement> {
  const { encode }: Uqr = await import(addressOfFile('uqr.mjs'));
  const { data, size } = encode(text, { ecc: 'M', border: QUIET_ZONE });
  return s(
    'svg',
    { class: 'qr', viewBox: `0 0 ${size} ${size}`, role: 'img', 'aria-label': name, 'shape-rendering': 'crispEdges' },
    s('rect', { width: size, height: size, fill: '#fff' }),
    s('path', { d: pathOf(data), fill: '#000' }),
  );
}

/** A square for each dark module. */
function pathOf(rows: readonly (readonly boolean[])[]): string {
  return rows.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
}
