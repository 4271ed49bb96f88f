/** One git repository's documentation, as its owner set it up. */
export interface Project {
  /** Lower case; also the name of its folder and, where `docs.domain` is set, of its host. */
  readonly name: string;
  /** Address of the repository. May carry credentials: shown only through `describeUrl`. */
  readonly url: string;
  /** The ref that `latest` stands for; '' = the remote's HEAD. */
  readonly latest: string;
  /** The project has one version, whose pages live at the root. */
  readonly single: boolean;
  /** Folder of the documentation in the repository. */
  readonly sourceDir: string;
  /** Language codes, the default one first; empty = found out from the tree. */
  readonly lang: readonly string[];
  /** What build requests and webhooks are verified with; '' = no verification. */
  readonly secret: string;
  /** Whether pages get the nav button. */
  readonly showNav: boolean;
  /** Whether the button leaves out the git address. */
  readonly hideGit: boolean;
  /** Own domain, lower case, or ''. */
  readonly domain: string;
  /** Commands run before and after a build; only the operator sets them. '' = none. */
  readonly before: string;
  readonly after: string;
  /** Free settings; `excluded_branch` and its separator `_sep` are known ones. */
  readonly meta: Readonly<Record<string, string>>;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  /** Refs whose versions are published, and the commit each was built from. */
  readonly versions: readonly PublishedVersion[];
}

/** A ref that readers can see. */
export interface PublishedVersion {
  readonly ref: string;
  /** `worktree`: a plain folder, which is one version. */
  readonly kind: 'branch' | 'tag' | 'worktree';
  readonly oid: string;
  /** ISO 8601, UTC. */
  readonly builtAt: string;
}
