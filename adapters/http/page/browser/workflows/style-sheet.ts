import { addressOfFile } from '../kit/served-file.ts';

let loaded: Promise<void> | undefined;

/** Loads the style of these views at their first visit; without it they are plain, and work. */
export function loadStyle(): Promise<void> {
  loaded ??= new Promise((resolve) => {
    const link = document.createElement('link');
    link.rel = 'stylesheet';
    link.href = addressOfFile('workflows.css');
    link.addEventListener('load', () => resolve());
    link.addEventListener('error', () => resolve());
    document.head.append(link);
  });
  return loaded;
}
