import { parseArgs } from 'node:util';
import { fillPlace } from '../store/fill-place.ts';

/* Fills a place with a made-up service: `node dist/bench/scripts/fill-place.js --place URL --builds 1000000 --projects 10000`. */

const { values } = parseArgs({
  options: {
    place: { type: 'string', default: '' },
    projects: { type: 'string', default: '10000' },
    builds: { type: 'string', default: '1000000' },
  },
});
if (values.place === '') {
  console.error('Say with --place which base_dir or database to fill');
  process.exit(2);
}
await fillPlace(values.place, { projects: Number(values.projects), builds: Number(values.builds) });
