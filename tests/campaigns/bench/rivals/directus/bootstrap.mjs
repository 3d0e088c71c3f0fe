// The command line of Directus without its look for updates, which would go out to a registry.
import '@directus/api/cli/run.js';
