// Each fault of the page as it is laid out now, in words.
([lettersMin, targetMin, lowHeaderMax, whole]) => {
    const faults = new Set();
    const style = (one) => getComputedStyle(one);
    const words = (one) => (one.innerText ?? one.textContent ?? '').trim().replace(/\s+/g, ' ');
    const told = (one) => {
        const name = typeof one.className === 'string' && one.className ? `.${one.className.split(' ')[0]}` : '';
        return `${one.tagName.toLowerCase()}${one.id ? `#${one.id}` : ''}${name} "${words(one).slice(0, 50)}"`;
    };
    const up = function* (one) { for (; one; one = one.parentElement) yield one; };
    const seen = (one) => one.checkVisibility({visibilityProperty: true, opacityProperty: true})
        && ![...up(one)].some((each) => style(each).clipPath !== 'none');
    const flows = (one) => style(one).overflowX + style(one).overflowY;
    const scrolls = (one) => /auto|scroll/.test(flows(one));
    const cuts = (one) => /hidden|clip/.test(flows(one)) && style(one).display !== 'inline';

    const wider = document.documentElement.scrollWidth - innerWidth;
    if (wider > 0) faults.add(`wider than the screen by ${wider}`);

    // Text, line by line, as far as it is seen within what scrolls: [node, element, box].
    const lines = [];
    // A line's letters are lower than its box, px of its height at each end.
    const PADDING = 0.18;
    const place = (node, one, box, drawn) => {
        let {left, right, top, bottom} = box;
        for (const frame of up(one)) {
            if (frame === document.body) break;
            const around = frame.getBoundingClientRect();
            if (scrolls(frame)) {
                [left, right] = [Math.max(left, around.left), Math.min(right, around.right)];
                [top, bottom] = [Math.max(top, around.top), Math.min(bottom, around.bottom)];
                if (right - left < 2 || bottom - top < 2) return;
            } else if (cuts(frame)) {
                const room = box.height * PADDING + 1;
                if (right > around.right + 1.5 || left < around.left - 1.5) faults.add(`cut off at a side: ${told(one)}`);
                if (bottom > around.bottom + room || top < around.top - room) faults.add(`cut off in its height: ${told(one)}`);
            }
        }
        if (right > innerWidth + 1 || left < -1) faults.add(`beyond the screen: ${told(one)}`);
        const block = [...up(one)].find((each) => !['inline', 'contents'].includes(style(each).display));
        if (!drawn && !scrolls(block) && right > block.getBoundingClientRect().right + 2)
            faults.add(`runs out of its box: ${told(one)}`);
        const less = box.height * PADDING;
        lines.push([node, one, {left, right, top: top + less, bottom: bottom - less}]);
    };
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node; (node = walker.nextNode());) {
        const one = node.parentElement;
        // The strip of an odometer's digit has all ten, of which one is seen.
        if (one.closest('.strip') || !node.data.trim() || /^(script|style|option|noscript|title)$/i.test(one.tagName) || !seen(one)) continue;
        const drawn = one.closest('svg');
        const letters = parseFloat(style(one).fontSize) * (drawn ? one.getScreenCTM().a : 1);
        if (!letters) continue;
        if (letters < lettersMin - 0.01) faults.add(`letters of ${letters.toFixed(1)} px: ${told(one)}`);
        const range = document.createRange();
        range.selectNodeContents(node);
        for (const box of drawn ? [one.getBoundingClientRect()] : range.getClientRects())
            if (box.width >= 1 && box.height >= 1 && box.right > 0) place(node, one, box, drawn);
    }

    // What is typed or chosen has room in its field; a list has its arrow besides.
    const ARROW = 16;
    const pen = new OffscreenCanvas(1, 1).getContext('2d');
    for (const field of document.querySelectorAll('input, select')) {
        if (!seen(field) || /hidden|checkbox|radio/.test(field.type)) continue;
        const now = style(field), list = field.tagName === 'SELECT';
        pen.font = `${now.fontWeight} ${now.fontSize} ${now.fontFamily}`;
        const text = list ? field.selectedOptions[0]?.text ?? '' : field.value || field.placeholder;
        const room = field.clientWidth - parseFloat(now.paddingLeft) - parseFloat(now.paddingRight) - (list ? ARROW : 0);
        if (!/date|month|password/.test(field.type) && pen.measureText(text).width > room + 1)
            faults.add(`no room in its field: ${told(field)} ${text}`);
        lines.push([field, field, field.getBoundingClientRect()]);
    }

    // Nothing lies on anything else; a picture lies on the words that stand there until it is drawn.
    lines.sort((one, other) => one[2].top - other[2].top);
    lines.forEach(([node, one, box], at) => {
        for (let next = at + 1; next < lines.length && lines[next][2].top < box.bottom; next += 1) {
            const [othersNode, other, others] = lines[next];
            if (node === othersNode || one.closest('figure')) continue;
            const across = Math.min(box.right, others.right) - Math.max(box.left, others.left);
            const down = Math.min(box.bottom, others.bottom) - Math.max(box.top, others.top);
            if (across > 3 && down > 2) faults.add(`on top of each other: ${told(one)} and ${told(other)}`);
        }
    });

    // A target is as large as a fingertip needs, or stands in a sentence, or has that room around it (WCAG 2.5.8).
    const spread = (one) => {
        const last = getComputedStyle(one, '::after');
        return last.position === 'absolute' && last.inset === '0px' ? one.offsetParent : null;
    };
    const labelled = (one) => /checkbox|radio/.test(one.type) ? one.closest('label') : null;
    const targets = [...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, summary')]
        .filter(seen).map((one) => [one, (spread(one) ?? labelled(one) ?? one).getBoundingClientRect()])
        .filter(([, box]) => box.width > 0 && box.right > 0);
    for (const [one, box] of targets) {
        if (box.width >= targetMin - 0.5 && box.height >= targetMin - 0.5) continue;
        const block = [...up(one.parentElement)].find((each) => !style(each).display.startsWith('inline'));
        if (style(one).display === 'inline' && words(block).length > words(one).length + 3) continue;
        const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
        const crowded = targets.some(([other, others]) => other !== one && !other.contains(one) && !one.contains(other)
            && Math.hypot(Math.max(others.left - x, 0, x - others.right), Math.max(others.top - y, 0, y - others.bottom))
                < targetMin / 2 - 0.5);
        if (crowded) faults.add(`too small to touch, ${box.width.toFixed(0)}x${box.height.toFixed(0)}: ${told(one)}`);
    }

    // The menu is whole, and what waits takes one line.
    const header = document.querySelector('body.ops > header');
    if (header && innerWidth <= lowHeaderMax && header.offsetHeight > 64) faults.add(`the header is ${header.offsetHeight} px high`);
    for (const one of header?.querySelectorAll('a, button') ?? []) {
        const box = one.getBoundingClientRect(), around = header.getBoundingClientRect();
        const outside = box.right > around.right + 1 || box.left < around.left - 1 || box.bottom > around.bottom + 1;
        if (seen(one) && outside) faults.add(`cut off in the header: ${told(one)}`);
    }
    const hits = document.querySelectorAll('#waiting .also[data-count], #waiting .hits li');
    if (!whole && hits.length > 1) faults.add(`what waits takes ${hits.length} lines`);
    for (const line of document.querySelectorAll('#waiting .also'))
        if (line.offsetHeight > 72) faults.add(`a line of what waits is ${line.offsetHeight} px high: ${told(line)}`);
    return [...faults];
}
