import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { parse, parseAllDocuments } from 'yaml';
import { readConfig } from '../../platform/config/read-config.ts';
import { parseS3Address } from '../../platform/sites/s3/s3-address.ts';
import { createFolder } from '../helpers/create-repository.ts';
import { runCommand } from '../helpers/run-command.ts';
import { testIf } from '../helpers/test-if.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const folder = join(root, 'deploy/kubernetes');

/** As much of a resource as these tests look at. */
interface Resource {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: Record<string, unknown>;
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
  readonly periodSeconds: number;
  readonly timeoutSeconds: number;
  readonly failureThreshold: number;
}

interface Node {
  readonly strategy: { readonly rollingUpdate: { readonly maxUnavailable: number } };
  readonly replicas: number;
  readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
  readonly template: {
    readonly metadata: { readonly labels: Readonly<Record<string, string>> };
    readonly spec: {
      readonly terminationGracePeriodSeconds: number;
      readonly automountServiceAccountToken: boolean;
      readonly securityContext: Readonly<Record<string, unknown>>;
      readonly containers: readonly Container[];
      readonly volumes: readonly {
        readonly name: string;
        readonly emptyDir?: { readonly sizeLimit: string };
        readonly configMap?: { readonly name: string };
      }[];
    };
  };
}

interface Container {
  readonly image: string;
  readonly args: readonly string[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly readinessProbe: Probe;
  readonly livenessProbe: Probe;
  readonly envFrom: readonly { readonly secretRef: { readonly name: string } }[];
  readonly resources: { readonly requests: object; readonly limits: { readonly memory: string } };
  readonly securityContext: object;
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string; readonly readOnly?: boolean }[];
}

const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
const readAll = (name: string): readonly Resource[] =>
  parseAllDocuments(read(name), { merge: true }).map((document) => document.toJS() as Resource);

const kustomization = parse(read('kustomization.yaml')) as {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly resources: readonly string[];
  readonly configMapGenerator: readonly { readonly name: string; readonly files: readonly string[] }[];
  readonly images: readonly { readonly name: string; readonly newName: string; readonly newTag: string }[];
};
const [secret] = readAll('secret.example.yaml') as unknown as [Resource & { stringData: Record<string, string> }];
const resources = kustomization.resources.flatMap(readAll);
const nodes = new Map(
  resources
    .filter(({ kind }) => kind === 'Deployment')
    .map(({ metadata, spec }) => [metadata.name.replace('docbuild-', ''), spec as unknown as Node]),
);
const { config } = readConfig(join(folder, 'docbuild.yml'), folder);

/** Returns what the API calls a group of resources: `apps/v1` of `apps/v1`, `core` of `v1` has no group. */
async function findModel({ apiVersion, kind }: Pick<Resource, 'apiVersion' | 'kind'>) {
  const models = (await import(`kubernetes-models/${apiVersion}`)) as Readonly<
    Record<string, new (data: unknown) => { validate(): void }>
  >;
  const model = models[kind];
  if (!model) throw new Error(`There is no ${kind} in ${apiVersion}`);
  return model;
}

async function validate(resource: Resource): Promise<void> {
  const Model = await findModel(resource);
  new Model(resource).validate();
}

test.serial('kubernetes: each file is a resource, or what kustomize makes one from', (t) => {
  const named = [...kustomization.resources, ...kustomization.configMapGenerator.flatMap(({ files }) => files)];
  t.deepEqual(readdirSync(folder).sort(), [...named, 'kustomization.yaml', 'secret.example.yaml'].sort());
  t.deepEqual(resources.map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort(), [
    'Deployment docbuild-build',
    'Deployment docbuild-web',
    'Ingress docbuild',
    'Namespace docbuild',
    'PodDisruptionBudget docbuild-build',
    'PodDisruptionBudget docbuild-web',
    'Service docbuild',
  ]);
});

test.serial('kubernetes: each resource is what the schemas of Kubernetes say', async (t) => {
  for (const resource of [...resources, secret]) {
    await t.notThrowsAsync(validate(resource), `${resource.kind} ${resource.metadata.name}`);
  }
  // The schemas find what is wrong.
  const web = resources.find(({ kind }) => kind === 'Deployment')!;
  await t.throwsAsync(validate({ ...web, spec: { ...web.spec, replicas: 'two' } }), { message: /replicas/ });
  await t.throwsAsync(validate({ ...web, spec: { ...web.spec, selector: undefined as never } }), {
    message: /selector/,
  });
});

test.serial('kubernetes: no resource has a field that Kubernetes does not know', (t) => {
  const place = createFolder(t);
  writeFileSync(
    join(place, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: {
        strict: true,
        noEmit: true,
        skipLibCheck: true,
        module: 'esnext',
        moduleResolution: 'bundler',
        types: [],
        paths: { 'kubernetes-models/*': [`${root}node_modules/kubernetes-models/*`] },
      },
      files: ['resources.ts'],
    }),
  );
  const check = (all: readonly Resource[]): string => {
    const lines = all.map(
      ({ apiVersion, kind, ...data }, i) =>
        `import { ${kind} as R${i} } from 'kubernetes-models/${apiVersion}';\nnew R${i}(${JSON.stringify(data)});`,
    );
    writeFileSync(join(place, 'resources.ts'), lines.join('\n'));
    try {
      return execFileSync(process.execPath, [`${root}node_modules/typescript/bin/tsc`, '-p', place], {
        encoding: 'utf8',
      });
    } catch (error) {
      return (error as { readonly stdout: string }).stdout;
    }
  };
  t.is(check([...resources, secret]), '');
  const [service] = readAll('service.yaml') as [Resource];
  t.regex(check([{ ...service, spec: { ...service.spec, selectors: {} } }]), /selectors/);
});

test.serial('kubernetes: what kustomization.yaml names exists, and is used', (t) => {
  // Without kubectl nothing else of kustomize is tested: patches, components and the like would need a test here.
  const { apiVersion, kind, namespace, resources: files, configMapGenerator, images, ...others } = kustomization;
  t.deepEqual(others, {});
  t.deepEqual([apiVersion, kind], ['kustomize.config.k8s.io/v1beta1', 'Kustomization']);
  t.deepEqual(
    [...files, ...configMapGenerator.flatMap((one) => one.files)].filter((name) => !existsSync(join(folder, name))),
    [],
  );
  t.is(resources.find((one) => one.kind === 'Namespace')?.metadata.name, namespace);
  for (const [role, { template }] of nodes) {
    const { volumes, containers } = template.spec;
    const maps = volumes.flatMap(({ configMap }) => configMap?.name ?? []);
    t.deepEqual(
      maps,
      configMapGenerator.map(({ name }) => name),
      role,
    );
    t.deepEqual(
      containers.map(({ image }) => image),
      images.map(({ name }) => name),
      role,
    );
  }
  for (const { newName, newTag } of images) {
    t.regex(newName, /^[a-z0-9.-]+(?:\/[a-z0-9._-]+)+$/);
    t.regex(newTag, /^\d+\.\d+\.\d+$/, 'a release, never `latest`');
  }
});

testIf(hasKubectl(), 'needs kubectl; what the file names is tested without it')(
  'kubernetes: kustomize makes valid resources of it, in one namespace',
  async (t) => {
    const made = execFileSync('kubectl', ['kustomize', folder], { encoding: 'utf8' });
    const all = parseAllDocuments(made).map(
      (document) => document.toJS() as Resource & { metadata: { namespace?: string } },
    );
    t.is(all.length, resources.length + 1, 'and a config map');
    for (const resource of all) {
      await t.notThrowsAsync(validate(resource), resource.kind);
      if (resource.kind !== 'Namespace') t.is(resource.metadata.namespace, 'docbuild', resource.kind);
    }
    t.regex(made, /name: docbuild-[0-9a-z]{10}\n/, 'the config map has a name of its own for each content');
    t.false(/image: docbuild\n/.test(made));
  },
);

function hasKubectl(): boolean {
  try {
    return /Kustomize/.test(execFileSync('kubectl', ['version', '--client'], { encoding: 'utf8', stdio: 'pipe' }));
  } catch {
    return false;
  }
}

test.serial('kubernetes: nodes have roles, options, ports and secrets that exist', async (t) => {
  const { stdout } = await runCommand(['api', '--help'], { cwd: createFolder(t) });
  t.deepEqual([...nodes.keys()].sort(), ['build', 'web']);
  for (const [role, { template, selector }] of nodes) {
    t.deepEqual(template.metadata.labels, selector.matchLabels);
    const [container] = template.spec.containers as [Container];
    const { args, ports, envFrom, image } = container;
    t.is(image, kustomization.images[0]!.name);
    t.deepEqual(args.slice(0, 3), ['api', '--role', role]);
    for (const option of args.filter((one) => one.startsWith('-'))) t.true(stdout.includes(option), option);
    t.is(args.at(-1), '/etc/docbuild/docbuild.yml');
    t.deepEqual(envFrom, [{ secretRef: { name: secret.metadata.name } }]);
    const numbers = new Map(ports.map(({ name, containerPort }) => [name, containerPort]));
    t.is(numbers.get('probes'), config.probes.port);
    t.is(numbers.get('http'), role === 'web' ? config.api.port : undefined);
  }
  t.deepEqual(Object.keys(secret.stringData).sort(), ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'PGPASSWORD']);
  t.deepEqual([...new Set(Object.values(secret.stringData))], [''], 'no password is in a file');
});

test.serial('kubernetes: probes tell a node that lives from one that is ready, and it has its drain time', (t) => {
  t.true(config.api.drain_s > 0);
  for (const [role, { template, strategy }] of nodes) {
    const { terminationGracePeriodSeconds: graceS, containers } = template.spec;
    const [{ readinessProbe, livenessProbe }] = containers as [Container];
    t.deepEqual(readinessProbe.httpGet, { path: '/readyz', port: 'probes' });
    t.deepEqual(livenessProbe.httpGet, { path: '/livez', port: 'probes' });
    t.true(readinessProbe.timeoutSeconds >= 2, 'docbuild takes up to 1 s');
    const drainS = role === 'web' ? config.api.drain_s : config.builds.drain_s;
    t.true(graceS > drainS + 10, `${role}: ${graceS} s`);
    const noticedS = readinessProbe.periodSeconds * readinessProbe.failureThreshold;
    if (role === 'web') t.true(drainS >= noticedS, `${drainS} s, noticed after ${noticedS} s`);
    t.true(livenessProbe.periodSeconds * livenessProbe.failureThreshold >= 60, 'a node that is busy is not ended');
    t.is(strategy.rollingUpdate.maxUnavailable, 0);
  }
});

test.serial('kubernetes: nodes run without rights, write to volumes alone, and have limits', (t) => {
  for (const [, { template }] of nodes) {
    const { securityContext, containers, volumes, automountServiceAccountToken } = template.spec;
    t.like(securityContext, { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } });
    t.false(automountServiceAccountToken);
    const [container] = containers as [Container];
    t.deepEqual(container.securityContext, {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    t.true('memory' in container.resources.requests && 'cpu' in container.resources.requests);
    const writable = container.volumeMounts.filter(({ readOnly }) => readOnly !== true);
    t.deepEqual(writable.map(({ mountPath }) => mountPath).sort(), ['/tmp', config.base_dir]);
    for (const { name } of writable) {
      t.truthy(volumes.find((volume) => volume.name === name)?.emptyDir?.sizeLimit, name);
    }
  }
  const gi = (role: string): number => {
    const { limits } = nodes.get(role)!.template.spec.containers[0]!.resources;
    return Number(/^(\d+)Gi$/.exec(limits.memory)![1]);
  };
  const places = config.builds.concurrency! + config.builds.quick;
  t.true(gi('build') >= 2.5 * places + 1, `${gi('build')} GiB for ${places} builds of 2 GB of heap`);
  const cache = nodes.get('web')!.template.spec.volumes.find(({ name }) => name === 'data')!.emptyDir!.sizeLimit;
  t.true(Number(/^(\d+)Gi$/.exec(cache)![1]) * 2 ** 30 > parseS3Address(config.sites).maxCacheBytes);
});

test.serial('kubernetes: service, budgets and ingress lead to nodes that exist', (t) => {
  const find = <T>(kind: string): readonly T[] =>
    resources.filter((one) => one.kind === kind).map(({ spec }) => spec as T);
  const labels = (role: string) => nodes.get(role)!.template.metadata.labels;
  const [service] = find<{ selector: object; ports: readonly { name: string; targetPort: string }[] }>('Service');
  t.deepEqual(service!.selector, labels('web'));
  t.is(service!.ports[0]!.targetPort, 'http');
  const budgets = find<{ minAvailable: number; selector: { matchLabels: object } }>('PodDisruptionBudget');
  t.deepEqual(
    budgets.map(({ selector }) => selector.matchLabels),
    [labels('web'), labels('build')],
  );
  for (const [i, { minAvailable }] of budgets.entries()) {
    t.true(minAvailable < [...nodes.values()][i]!.replicas, 'a machine can be emptied');
  }
  const [ingress] = find<{
    rules: readonly { host: string; http: { paths: readonly { backend: { service: { name: string } } }[] } }[];
  }>('Ingress');
  t.deepEqual(
    ingress!.rules.map(({ host }) => host),
    [new URL(config.api.docs_api_url).host, `*.${config.docs.domain}`],
  );
  for (const { http } of ingress!.rules) t.is(http.paths[0]!.backend.service.name, 'docbuild');
  t.is(config.api.trusted_proxies, 1);
});
