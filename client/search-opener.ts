/** What `search.ts` offers; it is loaded when a reader asks for it. */
interface SearchModule {
  openSearch(options: { readonly opener: HTMLElement; readonly query: string }): Promise<void>;
}

/** Shows the search buttons, and opens search by them, by `/`, by Ctrl+K or by `?q=` in the address. */
export function setUpSearch(): void {
  const buttons = [...document.querySelectorAll<HTMLElement>('button[data-search]')];
  const [first] = buttons;
  if (!first || !('showModal' in HTMLDialogElement.prototype)) return;
  let loading: Promise<SearchModule> | undefined;
  const load = (): Promise<SearchModule> => {
    loading ??= import(new URL(first.dataset['search']!, document.baseURI).href) as Promise<SearchModule>;
    // Whoever asks again may be luckier.
    loading.catch(() => {
      loading = undefined;
    });
    return loading;
  };
  const open = async (opener: HTMLElement, query = ''): Promise<void> => {
    first.setAttribute('aria-busy', 'true');
    try {
      await (await load()).openSearch({ opener, query });
    } catch {
      // Without a connection the button stays what it is.
    } finally {
      first.removeAttribute('aria-busy');
    }
  };
  for (const button of buttons) {
    button.hidden = false;
    button.addEventListener('click', () => open(button));
    for (const sign of ['pointerenter', 'focus']) button.addEventListener(sign, () => load().catch(() => {}));
  }
  // On the body, so that the preview drops it with the body that it replaces.
  document.body.addEventListener('keydown', (event) => {
    const { key, ctrlKey, metaKey, altKey, defaultPrevented, isComposing } = event;
    if (defaultPrevented || altKey || isComposing || document.querySelector('dialog[open]')) return;
    const isShortcut = ctrlKey || metaKey ? key.toLowerCase() === 'k' : key === '/' && !isTyping(event);
    if (!isShortcut) return;
    event.preventDefault();
    open(first);
  });
  const query = new URLSearchParams(location.search).get('q');
  if (query !== null) open(first, query);
}

function isTyping({ target }: Event): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(?:input|select|textarea)$/.test(target.localName))
  );
}
