import { BASE_STYLE } from '../docs/base-style.ts';

/** The whole style of the guide; its hash is in the policy of its pages. */
export const MANUAL_STYLE = `${BASE_STYLE}
body { display: grid; grid-template-columns: 17rem minmax(0, 1fr); }
body > nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1rem; border-right: 1px solid var(--line); }
nav p { margin: 1rem 0 .25rem; color: var(--soft); font-weight: 600; }
nav [aria-current] { font-weight: 600; color: var(--text); }
main { padding: 1.5rem 2.5rem 6rem; max-width: 56rem; overflow-wrap: break-word; }
form { display: flex; gap: .375rem; margin: .75rem 0; }
form input { min-width: 0; flex: 1; }
.parts { background: var(--block); border-radius: .375rem; padding: .625rem 1rem; font-size: .875rem; }
.parts ul { margin: .375rem 0 0; padding-left: 1.125rem; }
.wide { overflow-x: auto; }
img { max-width: 100%; height: auto; background: #fff; }
.elsewhere { border-bottom: 1px dotted var(--soft); }
.found { list-style: none; padding: 0; }
.found li { margin: 0 0 1.25rem; }
.found p { margin: 0; }
.soft, .found small { color: var(--soft); }
mark { background: light-dark(#fff3b0, #5c4d00); color: inherit; }
@media (min-width: 55rem) { body > nav summary { display: none; }
  body > nav details::details-content { content-visibility: visible; block-size: auto; } }
@media (max-width: 55rem) { body { display: block; } main { padding: 1rem; }
  body > nav { position: static; height: auto; border: 0; border-bottom: 1px solid var(--line); } }
`;
