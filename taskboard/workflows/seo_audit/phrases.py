"""What the steps write down of their work: kept in English, read in the language of whoever looks at it."""

from django.utils.translation import gettext_noop

from taskboard.sentences import Sentence, ngettext_noop

NOTHING = Sentence(gettext_noop("Nothing to mend."))
NO_FAULT = Sentence(gettext_noop("Nothing to mend"))
MINOR = Sentence(gettext_noop("Only minor findings; they need no ticket."))
BROKEN_LINKS = Sentence(*ngettext_noop("%(n)d broken link", "%(n)d broken links"))
BARE_IMAGES = Sentence(*ngettext_noop("%(n)d image without alt", "%(n)d images without alt"))

TICKET = Sentence(gettext_noop("Ticket %(id)s"))
NO_TICKET = Sentence(gettext_noop("The tracker shows no ticket with this key."))
OTHER_TICKET = Sentence(gettext_noop("The tracker shows ticket %(id)s under this key."))
OTHER_TITLE = Sentence(gettext_noop("Ticket %(id)s has another title: %(title)s"))
FORMER_TICKET = Sentence(gettext_noop("Ticket %(id)s of an earlier audit is still there."))
TICKET_READ = Sentence(gettext_noop("Ticket %(id)s reads back with this key and title."))
NO_TRACKER = Sentence(gettext_noop("The tracker cannot be reached: %(error)s."))
TRACKER_BUSY = Sentence(gettext_noop("The tracker asks to come back later."))
TICKET_REFUSED = Sentence(gettext_noop("The tracker refused the ticket: %(why)s"))

MAIL = Sentence(gettext_noop("Mail to %(to)s"))
NO_OWNER = Sentence(gettext_noop("Nobody to tell: neither the page nor the task names an owner."))
NO_MAIL_SERVER = Sentence(gettext_noop("The mail server cannot be used: %(error)s"))
MAIL_REFUSED = Sentence(gettext_noop("The mail server refused the mail to %(to)s: %(error)s"))
MAIL_NOT_ASKED = Sentence(gettext_noop("A mail server cannot be asked whether it has sent a mail."))
TOLD_BEFORE = Sentence(gettext_noop("An earlier audit has told the owner of this ticket."))
MAIL_TAKEN = Sentence(gettext_noop("The mail server took it; whether it arrives cannot be seen from here."))
NO_MAIL = Sentence(gettext_noop("There is no mail with this Message-ID in the mail folder."))
MAIL_READ = Sentence(gettext_noop("The mail lies in the mail folder under its Message-ID."))

BOTH = Sentence(gettext_noop("title and description"))
TITLE = Sentence(gettext_noop("title"))
DESCRIPTION = Sentence(gettext_noop("description"))
CHANGE = Sentence(gettext_noop("Change the %(what)s of %(path)s"))
REWRITES = Sentence(
    *ngettext_noop(
        "Rewrites the %(what)s of /%(path)s, linked from %(n)d page.",
        "Rewrites the %(what)s of /%(path)s, linked from %(n)d pages.",
    )
)
PAGE_LINKS = Sentence(gettext_noop("page links to it"))
PAGES_LINK = Sentence(gettext_noop("pages link to it"))
NEW_TEXTS = Sentence(gettext_noop("New %(what)s in the working copy"))
PAGE_CHANGED = Sentence(gettext_noop("The page has changed since the change was approved."))
CANNOT_CHANGE = Sentence(gettext_noop("%(path)s cannot be changed: %(what)s."))
SHOWN = Sentence(gettext_noop("The changed page reads back with the new text."))
NOT_SHOWN = Sentence(gettext_noop("The changed page does not show the new text."))
WITH_ITS_TWINS = Sentence(gettext_noop("Its title is seen to together with the pages that share it."))
BY_HAND = Sentence(gettext_noop("What was found cannot be changed by machine."))

FINDINGS = Sentence(gettext_noop("Findings"))
TICKET_LABEL = Sentence(gettext_noop("Ticket"))
DIFFERENCE = Sentence(gettext_noop("Difference"))
REQUEST = Sentence(gettext_noop("Your request"))
FURTHER = Sentence(gettext_noop("Further groups"))

GROUPS = Sentence(
    *ngettext_noop("Rewrite %(n)d group of duplicate titles", "Rewrite %(n)d groups of duplicate titles")
)
OWN_TITLES = Sentence(
    *ngettext_noop(
        "Gives %(count)d page a title that no other page has.",
        "Gives %(count)d pages a title that no other page has.",
    )
)
PAGES = Sentence(*ngettext_noop("%(count)d page", "%(count)d pages"))
NEW_TITLE = Sentence(gettext_noop("page gets a new title"))
NEW_TITLES = Sentence(gettext_noop("pages get new titles"))
NO_DUPLICATES = Sentence(gettext_noop("No title is used twice."))
TITLES_DONE = Sentence(
    *ngettext_noop("%(n)d page has a title of its own", "%(n)d pages have titles of their own")
)
TITLES_THERE = Sentence(gettext_noop("All titles are rewritten"))
TITLES_NOT_SHOWN = Sentence(gettext_noop("These pages do not show their new title: %(paths)s"))
TITLES_SHOWN = Sentence(gettext_noop("All changed pages read back with their new titles."))
IN_THE_LIST = Sentence(gettext_noop("All %(count)d groups are in the list of titles below."))

REPORT = Sentence(*ngettext_noop("Report on %(count)d page", "Report on %(count)d pages"))

NOT_AS_IT_WAS = Sentence(gettext_noop("its bytes cannot be written back as they were"))
NO_HEAD = Sentence(gettext_noop("the new text could not be put into its head"))
WOULD_DAMAGE = Sentence(gettext_noop("the change would have damaged the rest of the page"))
