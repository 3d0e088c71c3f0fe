import { html, Markup } from '../docs/markup.ts';
import { currentAssets } from './assets.ts';

/** What the documents of this service differ in. */
export interface DocumentHead {
  readonly title: string;
  /** `meta` elements by their names, such as `description`. */
  readonly meta?: Readonly<Record<string, string>>;
  /** Style sheets, preloads and scripts, in this order. */
  readonly loads: readonly Markup[];
}

/** A whole document: all have one language, encoding, icon, and both colour schemes. */
export function wholeDocument({ title, meta = {}, loads }: DocumentHead, body: Markup): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${Object.entries(meta).map(([name, content]) => html`<meta name="${name}" content="${content}">\n`)}<title>${title}</title>
<link rel="icon" href="${assetAddress('icon.svg')}" type="image/svg+xml">
${loads.map((each) => html`${each}\n`)}</head>
<body>
${body}
</body>
</html>
`.text;
}

/** @param id of the element, where a script looks for it */
export function styleSheet(name: string, id?: string): Markup {
  return html`<link rel="stylesheet" href="${assetAddress(name)}"${id !== undefined && html` id="${id}"`}>`;
}

/** A style within the document. @param style goes in as it is, so that the policy of the document can have its hash */
export function inlineStyle(style: string): Markup {
  return html`<style>${new Markup(style)}</style>`;
}

export function moduleScript(name: string): Markup {
  return html`<script type="module" src="${assetAddress(name)}"></script>`;
}

export function preloaded(address: string): Markup {
  return html`<link rel="modulepreload" href="${address}">`;
}

/** The address of a file of the page in this version. */
export function assetAddress(name: string): string {
  return `/page/${currentAssets().version}/${name}`;
}
