import type { IncomingHttpHeaders } from 'node:http';
import { findHeader } from './find-header.ts';

/** Who sent a webhook call, as its headers claim. */
export interface Sender {
  readonly service: 'github' | 'gitee';
  /** Name of the event as the service writes it: `push`, `Tag Push Hook`. */
  readonly event: string;
  /** The service's id of this call; '' = none that can be used. */
  readonly deliveryId: string;
}

/** Ids are UUIDs today; a dot is left to ids that are made here. */
const DELIVERY_ID = /^[\w-]{1,100}$/;
const MAX_EVENT = 100;

/** Returns the sender of a call, or undefined when no header names a service that is known. */
export function findSender(headers: IncomingHttpHeaders): Sender | undefined {
  return (
    create('github', findHeader(headers, 'x-github-event'), findHeader(headers, 'x-github-delivery')) ??
    create('gitee', findHeader(headers, 'x-gitee-event'), findHeader(headers, 'x-gitee-delivery'))
  );
}

function create(service: Sender['service'], event = '', id = ''): Sender | undefined {
  if (event === '' || event.length > MAX_EVENT) return undefined;
  return { service, event, deliveryId: DELIVERY_ID.test(id) ? id : '' };
}
