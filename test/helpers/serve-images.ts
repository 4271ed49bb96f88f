import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ExecutionContext } from 'ava';
import { addDays } from '../../platform/images/day.ts';

/** Answers a request in another way than the image service would. */
export type ImageFault = (request: IncomingMessage, response: ServerResponse) => void;

/** A server that answers as the image service does. */
export interface ImageService {
  readonly url: string;
  /** Paths with queries, as they were asked for. */
  readonly requests: string[];
  /** The latest day that it has a picture of. */
  day: string;
  /** Days that it has none of. */
  readonly missing: Set<string>;
  /** How it answers instead; undefined = well. */
  fault: ImageFault | undefined;
  /** Connections that were made to it. */
  connections(): number;
}

/** Returns an entry as the image service has it. */
export function imageEntry(day: string, values: object = {}): object {
  return {
    startdate: addDays(day, -1),
    fullstartdate: `${addDays(day, -1)}1600`,
    enddate: day,
    url: `/th?id=OHR.Picture${day}_1920x1080.jpg&rf=LaDigue_1920x1080.jpg&pid=hp`,
    urlbase: `/th?id=OHR.Picture${day}`,
    copyright: `A place (© somebody, ${day})`,
    copyrightlink: 'https://example.com/',
    title: `Title of ${day}`,
    hsh: 'f716',
    ...values,
  };
}

/** Serves pictures up to a day; it stops with the test. */
export async function serveImages(t: ExecutionContext, day: string): Promise<ImageService> {
  let connections = 0;
  const service: ImageService & { url: string } = {
    url: '',
    requests: [],
    day,
    missing: new Set(),
    fault: undefined,
    connections: () => connections,
  };
  const server = createServer((request, response) => {
    service.requests.push(request.url!);
    if (service.fault) return service.fault(request, response);
    const { pathname, searchParams } = new URL(request.url!, 'http://host');
    if (pathname !== '/HPImageArchive.aspx' || searchParams.get('format') !== 'js')
      return response.writeHead(404).end();
    const from = Math.min(7, Number(searchParams.get('idx')));
    const count = Math.min(8, Number(searchParams.get('n')));
    const days = Array.from({ length: count }, (_, i) => addDays(service.day, -from - i));
    const images = days.filter((one) => !service.missing.has(one)).map((one) => imageEntry(one));
    response.setHeader('content-type', 'application/json; charset=utf-8');
    response.end(JSON.stringify({ images: images.length > 0 ? images : null, tooltips: {} }));
  });
  server.on('connection', () => connections++);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  service.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return service;
}
