import type { Visit } from '../kit/visit.ts';
import { loadStyle } from './style-sheet.ts';

/** `#/workflows`: the list; `/new`, `/import`, `/ID`: a draft in the editor; `/ID/versions`: its versions and its use. */
export async function show(view: HTMLElement, visit: Visit): Promise<string> {
  await loadStyle();
  const [id = '', part = ''] = visit.rest.split('/');
  if (id === '') return (await import('./list-view.ts')).showList(view, visit);
  if (id === 'new') return (await import('./new-view.ts')).showNew(view);
  if (id === 'import') return (await import('./import-view.ts')).showImport(view);
  if (part === 'versions') return (await import('./versions-view.ts')).showVersions(view, visit, id);
  return (await import('./editor-view.ts')).showEditor(view, visit, id);
}
