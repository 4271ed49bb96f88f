import { createElement } from './create-element.ts';

/** A picture that is shown this much smaller than it is can be enlarged. */
const LEAST_FACTOR = 1.2;
/** CSS pixels; what is narrower is an icon. */
const LEAST_WIDTH = 100;

/** Lets pictures of the text that are shown smaller than they are be seen as large as the window allows. */
export function enlargePictures(): void {
  for (const picture of document.querySelectorAll<HTMLImageElement>('.prose img[alt]:not([alt=""])')) {
    if (picture.closest('a, button, summary, label')) continue;
    const offer = (): void => {
      const { naturalWidth, clientWidth } = picture;
      if (clientWidth < LEAST_WIDTH || naturalWidth < clientWidth * LEAST_FACTOR) return;
      picture.classList.add('zoomable');
      picture.tabIndex = 0;
      picture.setAttribute('role', 'button');
      picture.setAttribute('aria-haspopup', 'dialog');
      picture.addEventListener('click', () => show(picture));
      picture.addEventListener('keydown', (event) => {
        if (event.key !== 'Enter' && event.key !== ' ') return;
        event.preventDefault();
        show(picture);
      });
    };
    if (picture.complete) offer();
    else picture.addEventListener('load', offer, { once: true });
  }
}

function show({ currentSrc, alt }: HTMLImageElement): void {
  const label = document.querySelector('.drawer-close')?.getAttribute('aria-label') ?? '';
  const dialog = createElement(
    'dialog',
    { class: 'zoom', 'aria-label': alt },
    createElement('button', { type: 'button', 'aria-label': label }),
    createElement('img', { src: currentSrc, alt }),
  );
  dialog.addEventListener('click', () => dialog.close());
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
