import { BASE_STYLE } from './base-style.ts';

/** The whole style of the reference page; its hash is in the page's content security policy. */
export const STYLE = `${BASE_STYLE}
body { display: grid; grid-template-columns: 18rem minmax(0, 1fr); }
nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1rem; border-right: 1px solid var(--line); }
main { padding: 1.5rem 2.5rem 6rem; max-width: 60rem; }
.tag { margin: 1rem 0 .25rem; color: var(--soft); font-weight: 600; }
h1 small, h4 small, p small { color: var(--soft); font-weight: 400; }
h4 { margin: 1.25rem 0 .5rem; }
section:target > h3 { text-decoration: underline; text-underline-offset: .3rem; }
.route, .auth { margin: .25rem 0; }
.auth { color: var(--soft); }
pre { max-height: 30rem; }
td b { color: var(--soft); font-weight: 400; font-size: .8125rem; }
td:first-child { width: 32%; }
details, .answer { border-bottom: 1px solid var(--line); padding: .375rem 0; margin: 0; }
.method, .status { display: inline-block; font: 600 .75rem/1.4 ui-monospace, monospace; padding: 0 .3rem;
  border-radius: .25rem; color: #fff; background: #57606a; }
.get { background: #0550ae; } .post, .s2 { background: #116329; } .put, .patch, .s3 { background: #7d4e00; }
.delete, .s5 { background: #a40e26; } .s4 { background: #7d4e00; }
nav .method { font-size: .625rem; min-width: 2.9rem; text-align: center; }
nav summary { margin: .5rem 0; }
nav input, .try input, .try textarea { width: 100%; }
.try label { display: block; font-size: .875rem; }
.try p { margin: .5rem 0; }
.try textarea { font: .875rem/1.5 ui-monospace, monospace; }
.try output { display: block; }
.refusals { padding-left: 1.125rem; font-size: .875rem; }
.refusals li { margin: .25rem 0; }
@media (min-width: 55rem) { nav summary { display: none; }
  nav details::details-content { content-visibility: visible; block-size: auto; } }
@media (max-width: 40rem) { table, tbody, tr, td { display: block; } thead { display: none; }
  td, td:first-child { width: auto; border: 0; padding: .125rem 0; } tr { border-bottom: 1px solid var(--line); padding: .375rem 0; } }
@media (max-width: 55rem) { body { display: block; } nav { position: static; height: auto; border: 0; }
  main { padding: 1rem; } }
`;
