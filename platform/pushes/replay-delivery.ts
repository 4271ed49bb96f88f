import type { BuildCause } from '../../data/records/build.ts';
import { phrase } from '../../lib/phrase.ts';
import { quoteName } from '../../lib/quote-name.ts';
import { ServiceError } from '../failures/service-error.ts';
import { answerBuild, answerExcluded, type WebhookAnswer, type WebhookContext } from './handle-webhook.ts';

/**
 * Does again, for the operator, what a recorded delivery asked for: builds also what was built before, and removes also
 * what an unverified call asked to remove. Throws ServiceError 404 for an unknown project or delivery, 409 for one that
 * asks for nothing.
 */
export async function replayDelivery(
  { project: name, id, cause }: { readonly project: string; readonly id: string; readonly cause: BuildCause },
  { store, queue, isExcluded }: WebhookContext,
): Promise<WebhookAnswer> {
  const project = await store.projects.find(name);
  if (!project) throw new ServiceError('not-found', phrase`Project ${quoteName(name)} does not exist`);
  const delivery = await store.deliveries.find(name, id);
  if (!delivery) throw new ServiceError('not-found', phrase`Delivery ${quoteName(id)} is not known`);
  const { action } = delivery;
  if (!action) throw new ServiceError('nothing-to-do', phrase`Delivery ${quoteName(id)} did not request anything`);
  const { ref } = action;
  if (action.kind === 'build' && isExcluded(project, ref)) return answerExcluded(ref);
  const build =
    action.kind === 'build'
      ? await queue.request({ project: name, ref, commit: action.commit, cause })
      : await queue.removeVersion(name, ref);
  const answer = build ? `replayed: ${build.kind} of ${quoteName(ref)}` : `replayed: ${quoteName(ref)} has no version`;
  await store.deliveries.change(name, id, (known) => ({ ...known, build: build?.id ?? known.build, answer }));
  if (action.kind === 'build' && build) return answerBuild(ref, build);
  const message = `${quoteName(ref)} ${build ? 'is being removed from the site' : 'has no version'}`;
  return { status: 200, body: { success: true, message } };
}
