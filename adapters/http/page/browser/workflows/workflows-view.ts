import type { Visit } from '../kit/visit.ts';
import { showEditor } from './editor/editor-view.ts';
import { showImport } from './import-view.ts';
import { showList } from './list-view.ts';
import { showNew } from './new-view.ts';
import { loadStyle } from './style-sheet.ts';
import { showVersions } from './versions/versions-view.ts';

/** `#/workflows`: the list; `/new`, `/import`, `/ID`: a draft in the editor; `/ID/versions`: its versions and its use. */
export async function show(view: HTMLElement, visit: Visit): Promise<string> {
  await loadStyle();
  const [id = '', part = ''] = visit.rest.split('/');
  if (id === '') return showList(view, visit);
  if (id === 'new') return showNew(view);
  if (id === 'import') return showImport(view);
  if (part === 'versions') return showVersions(view, visit, id);
  return showEditor(view, visit, id);
}
