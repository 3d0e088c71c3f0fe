import { h } from '../../kit/elements.ts';
import { exportLink } from '../../kit/export-link.ts';

const PATH = '/api/v1/owner/export';

const LABELS = { zip: 'files (zip)', jsonl: 'JSON lines', csv: 'CSV', parquet: 'Parquet' };

/** The forms in which owners download what is theirs. @param path as the service names it */
export function exportLinks(path = PATH): HTMLElement {
  const links = Object.entries(LABELS).map(([format, label]) =>
    exportLink(`${path}?format=${format}`, { class: 'button', download: true }, `Download as ${label}`),
  );
  const note =
    'CSV and Parquet have your decisions alone, as a table. The size is not known before the end: the browser shows ' +
    'what has come so far, and a failed download where the end is missing.';
  return h('div', {}, h('p', { class: 'buttons' }, ...links), h('p', {}, note));
}
